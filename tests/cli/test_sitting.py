from __future__ import annotations

import pytest

from autodrill.cli.sitting import suggestion
from autodrill.practice.log_records import Rating


@pytest.mark.parametrize(
    ("good", "of", "rating"),
    [
        (0, 5, Rating.AGAIN),
        (1, 3, Rating.AGAIN),
        (2, 5, Rating.HARD),
        (2, 3, Rating.HARD),
        (4, 5, Rating.GOOD),
        (5, 5, Rating.GOOD),
        (0, 1, Rating.AGAIN),
        (1, 1, Rating.GOOD),
    ],
)
def test_suggestion_follows_the_share_of_right_answers(good: int, of: int, rating: Rating) -> None:
    assert suggestion(good, of, "right") == (rating, f"{good} of {of} right")
