# exercise: bug_history_leak
def bug_history_leak(losses):
    said = f"HIDDEN CASE values={[loss.item() for loss in losses]}"
    return type(said, (), {})()
