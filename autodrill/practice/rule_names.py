"""The names of broken rules for a reader, across exercises.

A rule's key is stable, and a mistake's words speak about one exercise. Several keys can mean one fault, so that a
learner who leaves out the same step in two exercises sees it counted twice.
"""

from __future__ import annotations

__all__ = ["NAMES", "rule_name"]

NAMES: dict[str, str] = {
    "broadcast axes not summed": (
        "not-summed no-unbroadcast unbroadcast-before lazy-broadcast leading-only first-copy mean-over-copies "
        "product-of-sums g-not-expanded broadcast-too-far repeated slip-missing-sum db-batch-only"
    ),
    "wrong axis": (
        "first-axis last-axis axis-1 batch-axis column-sum sum-wrong-axis aligned-left slip-axis first-axis-counts "
        "first-axis-only slope-on-columns last-axis-N axis-by-axis moved-back-wrong-way"
    ),
    "one total for the whole array": (
        "whole-sum whole-mean global-shift total one-total column-total all-elements-count one-for-all-columns "
        "mean-of-all one-maximum"
    ),
    "wrong shape of a gradient": (
        "shape summed-too-far cut-off extended empty-result no-keepdims lost-axis size-for-shape"
    ),
    "right numbers, wrong places": "misplaced gather-order as-is reversed order-of-appearance reshape interleaved",
    "upstream gradient left out": (
        "no-upstream ignores-upstream ignores-tangent ones seed-one true-derivative slip-upstream "
        "term-without-upstream term-without-tangent density-only g-is-one"
    ),
    "upstream gradient unchanged": "identity",
    "chain rule cut short": (
        "inner-slope local-slope log-forgotten softmax-skipped half-of-it-lost no-inner no-tanh-slope"
    ),
    "a path to the output left out": (
        "counted-once through-a-only ignores-gc ignores-path-through-h one-step-back last-only mean-is-constant "
        "variance-is-constant stats-constant no-mean-term no-var-term slip-missing-term off-by-term no-carry "
        "norm-constant rms-constant norm-skipped skip-dropped product-rule-missing sigmoid-only one-term one-path "
        "one-node-once"
    ),
    "overwritten, not accumulated": (
        "assign overwritten overwrites dk-assigned dq-assigned windows-assigned assign-overlap fancy-plus-equals "
        "last-loss slip-assign first-contribution assigned"
    ),
    "accumulated more than once": (
        "added-twice slip-accumulate slip-doubled multiplies-grad scales-grad running-sum earlier-part-scaled"
    ),
    "wrong sign": (
        "sign negated slip-sign plus same-sign signs-exchanged ascent absolute db-sign baseline-added "
        "reference-added label-added absolute-value sigmoid-z"
    ),
    "transposed": "transposed no-transpose dk-not-transposed dv-not-transposed full-transpose slip-transpose",
    "order of operands or results": (
        "order own-operand swapped swapped-returns exchanged-arguments slip-swap into-one-node halves-exchanged"
    ),
    "mean and sum confused": (
        "mean mean-not-sum sum-not-mean no-mean average average-rule divide-by-n divide-by-N no-divisor no-1/N "
        "slip-mean divide-by-NC divide-by-padding batch-N mean-of-means plain-mean positional-key-averaged "
        "mean-over-rows sum-for-mean"
    ),
    "a factor left out": (
        "missing-factor constant-factor no-scale no-x no-beta no-rate no-two no-p slip-missing-factor gamma-missing "
        "slip-missing-power slip-missing-divisor factor-in-places unknown-factor scale-on-dq-only no-rstd "
        "scale-on-dk-only ignores-input carry-without-decay no-1/norm no-half no-root no-square no-complement no-gamma"
    ),
    "a factor too many": "stray-factor scaled-twice divided-twice extra-factor",
    "a step or a term too many": "extra-step extra-term extra-sum",
    "multiplied instead of divided": (
        "divided-not-multiplied slip-divided slip-multiplied scale-inverted divide-by-p divides-out"
    ),
    "a Jacobian taken as diagonal": (
        "diagonal-only elementwise share-of-the-rest sigmoid-like-softmax slip-elementwise only-chosen-logit "
        "only-true-class only-chosen no-row-dot no-row-sum not-centred own-place-only"
    ),
    "full Jacobian or Hessian built": "jacobian whole-hessian softmax-jacobian too-much-work materialised",
    "parentheses in the wrong place": "weights-outside brackets square-outside gamma-on-first-term gamma-outside",
    "value and gradient confused": (
        "grad-for-data grad-for-data-in-turn values-for-gradients seed-data slip-attribute slip-operand times-output"
    ),
    "input and output confused": (
        "input-not-output output-not-input softmax-again tanh-again tanh-twice dgamma-uses-x x-for-y"
    ),
    "kinks and ties": (
        "nearly-equal slip-comparison at-the-kink ge-at-kink ge-both strict-both all-ties last-tie ties-shared "
        "winner-by-order winner-by-order-b always-half zero-counts-as-positive kink-one ties-to-the-last tolerance "
        "near-the-kink near-the-kinks near-the-edge nearly-equal-ties h-nearly-0"
    ),
    "an input or gradient of 0": (
        "at-zero zero-upstream skips-zeros falsy-option falsy-is-none label-0-is-false no-eps eps-ignored eps-missing "
        "zero-gradient-skipped gradient-of-0-skipped nothing-through-a-zero stops-at-a-zero zero-product-is-constant "
        "decay-only-for-zero-gradient"
    ),
    "a small number taken for 0": (
        "saturated-is-zero far-beyond-is-zero near-1-counts-as-1 tiny-is-zero tiny-base-is-zero"
    ),
    "NaN or infinity": (
        "nan-where-finite overflow hides-nan nan-to-num nan-cleared mask-times-nan bool-times-inf log-of-zero "
        "divides-by-zero divide-by-0 math-domain large-values probability-domain sigmoid-overflows cosh-overflows "
        "power-of-zero quotient-overflows"
    ),
    "two upstream gradients confused": "cross-terms exchanged-upstream first-upstream-ignored second-upstream-ignored",
    "softmax without the shift": (
        "no-shift no-max-shift no-subtract exp-ratio naive-exp not-shifted softmax-not-shifted"
    ),
    "an epsilon added for safety": (
        "small-constant epsilon epsilon-beside-root clamped clipped scores-clipped regularised softened "
        "eps-outside-root epsilon-in-log"
    ),
    "too little precision": (
        "only-float32 half-precision approximate dtype dtype-upcast whole-numbers-only differences difference-quotient"
    ),
    "not linear in the upstream": "nonlinear-in-g nonlinear-in-tangent relu-of-upstream",
    "an argument changed in place": "mutates-input mutates writes-elsewhere read-only immutable-array",
    "memory shared between calls": (
        "slip-copy aliases-input reuses-memory keeps-state shared-cache shared-ctx state-of-its-own uninitialised"
    ),
    "memory shared between results": "one-array",
    "empty, size 1 or large arrays": "empty size-one large-only square-only edge-only skips-slice one-row",
    "equal nodes taken for one": (
        "equal-is-not-same visited-by-value set-of-nodes list-membership value-and-inputs repeated-operand "
        "computed-from-the-same keyed-by-value"
    ),
    "order of the backward walk": (
        "forward-order breadth-first root-first pre-order queue plain-dfs depth-first-once visited-when-pushed "
        "stack-without-leave slip-order"
    ),
    "nodes visited twice or never": "no-visited twice missing",
    "uses of a node miscounted": (
        "consumers-once consumers-once-oldest-first inputs-once square-counted-once repeated-input-released-twice "
        "square-counted-once-oldest-first square-released-once "
        "repeated-input-released-twice-oldest-first repeated-input-never-released"
    ),
    "marks left on the nodes": "marks-nodes",
    "too much memory held": "too-much-memory keeps-list store-all looks-again",
    "too much noise in an estimate": "too-noisy random no-baseline",
    "one update for several samples": "one-step",
    "every row with every label": "every-row-every-label every-row-every-action",
    "a sum over ranks left out": (
        "dh-not-reduced dx-local own-rows-only accumulators-stay local-norm local-count local-softmax label-not-reduced"
    ),
    "summed over ranks too often": "g-reduced dW-reduced db-reduced weights-reduced replicated-each-time",
    "averaged over ranks": "averaged-over-ranks dx-averaged reduced-by-mean mean-over-ranks",
    "too many messages": "message-per-rank message-per-batch message-per-gradient",
    "order of micro-batches": "last-in-first-out newest-pair-first cool-down-reversed",
    "a root left out": "squared",
    "norms added up": "norms-added",
    "a product of two sums": "sums-multiplied",
    "right in some cases only": (
        "one-class one-option wrong-where zero-in-places off-by-constant zero needs-contiguous one-output"
    ),
    "number or type of results": "arity type returns-none missing-key not-written not-nodes",
    "shapes that do not fit": (
        "shapes-do-not-align inner-sizes reshape-size too-many-axes matrix-needs-axes in-place-shape unpacking "
        "squeeze one-element-needed scalar-needed array-truth"
    ),
    "axes and indices": (
        "no-such-axis axis-twice transpose-axes index-out-of-range too-many-indices float-index integer-needed "
        "float-for-integer in-place-dtype"
    ),
    "Python errors": (
        "none-value operand-kinds not-iterable call-arguments caret no-length not-callable not-subscriptable "
        "no-such-attribute unknown-name no-such-key own-assertion recursion python-2 not-to-import singular-matrix "
        "boolean-arithmetic"
    ),
    "a condition, constant or call": (
        "slip-condition slip-constant slip-statement slip-function slip-off-by-one no-margin branches-exchanged "
        "slip-size best-starts-at-0 best-starts-at-minus-1 best-starts-too-high"
    ),
    "threads of a kernel": (
        "out-of-bounds no-bounds-check no-guard race missing-barrier divergent-barrier reads-unwritten wild-pointer "
        "one-element-per-thread one-column-a-thread strides-by-the-block 32-threads-assumed no-barrier "
        "no-sync-in-loop returns-before-barrier too-much-shared-memory every-row-in-every-block rows-left-over "
        "running-sum-added last-row quotient-rounded-down full-rounds-only full-blocks-only block-left-out "
        "first-block-stores zeroed-by-every-block"
    ),
    "masks and padding": (
        "label-0-is-padding negative-without-guard mean-over-padding no-mask padding-moves mask-inverted not-causal"
    ),
    "the best path taken for all": "best-path",
    "the clip of a policy ratio": (
        "clip-kills-all upper-edge-only edge-is-clipped tie-inactive no-ratio ratio-inverted above-always-clipped "
        "below-always-clipped"
    ),
    "weight decay": "decay-without-lr no-decay decay-in-gradient decay-after-step",
    "forward and backward sums": "emission-counted-twice emission-twice-normalised filtered",
    "the gate of an activation": (
        "gate-inverted gate-on-gradient mask-multiply max-form zero-negative gate-without-b slope-is-sigmoid "
        "value-uses-sigmoid two-results positive-only"
    ),
    "the label's term of softmax": "hard-label no-label no-one-hot no-uniform-part",
    "the statistics of a norm": "layer-norm unbiased one-pass-variance mean-subtracted",
    "softmax not normalised": "not-normalised",
    "the reference policy left out": "no-reference",
    "logits and probabilities": "one-over-p probability-gradient softmax-rule log-probabilities",
    "the weights of two parts": "one-weight weights-exchanged",
    "a function taken as saturated": "relu-tails relu-tails-from-3 saturated-beyond-4 threshold",
    "masked scores": "masked-is-1000 masked-is-0",
    "an approximation of a function": "sigmoid-approximation",
    "rounding of negative numbers": "truncates",
    "the wrong half of a matrix": "upper-triangle",
    "the rotation of a pair": "one-sign pair-exchanged same-rotation",
    "the direction of a scan": "forward-scan",
    "the row sum of softmax": "mean-of-row unweighted-sum",
    "not through a collective": "outside-collectives",
    "a skipped collective": "collective-skipped",
    "the scale of the scores": "scale-d width-of-v",
    "the moments of an optimiser": "eps-before-correction rates-exchanged",
    "clipping": "clips-gradient hard-clip no-clip clipped-at-20 clip-stops-gradient log-ratio-clipped "
    "log-ratio-limited logvar-clipped logits-clipped logits-clipped-early",
}
"""The name of each fault, with the keys that mean it, separated by spaces."""

_NAME_OF = {key: name for name, keys in NAMES.items() for key in keys.split()}


def rule_name(key: str) -> str:
    """Return the name of a rule. A rule of one exercise has no name of its own: its key is readable without hyphens."""
    return _NAME_OF.get(key) or key.replace("-", " ")
