"""Turn the sum around: for one kernel position (i, j), all outputs together read one strided slice of the padded image,

    window = padded[:, :, i : i + s·Y : s,  j : j + s·Z : s]        (Y, Z: height and width of out)

and for that position the convolution is a matrix product over channels, out += w[:, :, i, j] · window. So backward is
the two products of `matmul_backward`, once a position:

    dw[o, c, i, j] = Σ_{n,y,z} g[n, o, y, z] · window[n, c, y, z]
    dwindow[n, c, y, z] = Σ_o w[o, c, i, j] · g[n, o, y, z]

The slices of neighbouring positions overlap, and a pixel read several times collects several contributions: `+=`, into
a buffer of the *padded* size. The padding is no input, so its share is cut off at the end. b was copied to every image
and place: db sums g over all three axes.

With stride 1, the gradient of the padded image is itself a convolution of g, with the kernel rotated by 180° and the
channels exchanged ("full" padding): the transposed convolution.

Cost: dw takes as many products as the forward, N·O·C·K·L·Y·Z, and dx as many again, so backward is about two forwards;
db is N·O·Y·Z additions. x and w are kept; the padded copy of x is made again, and neither out nor b is needed.

PyTorch: `ConvolutionBackward0` keeps x and w, both of them even where one requires no gradient, and calls
`convolution_backward` once, with a mask that says which of the three gradients are wanted. There, stride, padding and
dilation may differ between the axes, and `groups` splits the channels; this exercise is one group, no dilation, one
stride, one padding. Neither rotates the kernel in the forward: what frameworks call a convolution is a
cross-correlation.

Asked next:

- How does dx become a single convolution at stride s > 1? → Put s − 1 zeros between neighbouring elements of g, then
  convolve with the rotated kernel as at stride 1, and append zeros for the rows and columns that no window read. That
  is `conv_transpose2d` with the same w, stride and padding; its `output_padding` is those rows and columns.
- Which test needs neither finite differences nor a second implementation? → out − b is linear in x and in w, so with
  random arrays Σ g·(out − b) = Σ dx·x = Σ dw·w up to rounding, at any stride and padding. A rotated kernel, or `=`
  where windows overlap, breaks it.
- Batch normalisation follows, in training. What is db? → Zero up to rounding: the normalisation subtracts each
  channel's mean, and b with it. So such a convolution is built with `bias=False`, and the shift is the normalisation's
  own.
- What does im2col buy, and at what price? → It copies each window into a row of a matrix of N·Y·Z rows and C·K·L
  columns, so that the forward, dw and the windows' gradients are one matrix product each; adding those back to the
  pixels (col2im) is the `+=` above. At stride 1, with padding that keeps the image's size, that matrix is K·L times as
  large as x.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Fix one position (i, j) of the kernel: which pixels do all the outputs read with it, and what is done with them?",
    "One strided slice for each position. dw is g times that slice summed; dx adds w times g into the slice.",
    "Slices `i : i + stride * Y : stride`, `np.einsum` over channels, `+=` into zeros of the padded shape; then crop.",
)
# Frameworks refuse a convolution without channels, so no axis is empty.
CASES = [
    given("x[N,C,4,5] w[O,C,3,3] b[O]", stride=1, pad=1, empty=False, large={"N": 60, "C": 12, "O": 14}),
    given("x[N,C,4,5] w[O,C,1,1] b[O]", empty=False, large=False),
    given("x[N,C,5,6] w[O,C,2,3] b[O]", empty=False, large=False),
    given("x[N,C,5,7] w[O,C,3,2] b[O]", stride=2, pad=1, empty=False, large=False),
    given(
        "x[N,C,6,6] w[O,C,3,3] b[O]", stride=2, empty=False, large=False, note="a row and a column that no window reads"
    ),
    given("x[N,C,5,4] w[O,C,2,2] b[O]", stride=3, pad=2, empty=False, large=False),
    given("x[N,C,5,4] w[O,C,2,2] b[O]", stride=1, pad=2, empty=False, large=False),
]
EQUIVALENT = {
    "assign: dw[:, :, i, j] += np.einsum('noyz,ncyz->oc', g, padded[window]) -> "
    "dw[:, :, i, j] = np.einsum('noyz,ncyz->oc', g, padded[window])": "each position of the kernel comes once",
}


def forward(x, w, b, stride=1, pad=0):
    return engine.conv2d(x, w, b, stride=stride, padding=pad)


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (*_, H, W), (*_, K, L), (*_, Y, Z) = x.shape, w.shape, g.shape
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dpadded, dw = np.zeros_like(padded), np.zeros_like(w)
    for i, j in np.ndindex(K, L):
        window = ..., slice(i, i + stride * Y, stride), slice(j, j + stride * Z, stride)
        dw[:, :, i, j] += np.einsum("noyz,ncyz->oc", g, padded[window])
        dpadded[window] += np.einsum("noyz,oc->ncyz", g, w[:, :, i, j])
    db = np.einsum("noyz->o", g)
    return dpadded[:, :, pad : pad + H, pad : pad + W], dw, db


def gradients(g, x, w, stride, pad, crop=True):
    (*_, H, W), (*_, K, L), (*_, Y, Z) = x.shape, w.shape, g.shape
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dpadded, dw = np.zeros_like(padded), np.zeros_like(w)
    for i, j in np.ndindex(K, L):
        window = ..., slice(i, i + stride * Y, stride), slice(j, j + stride * Z, stride)
        dw[:, :, i, j] += np.einsum("noyz,ncyz->oc", g, padded[window])
        dpadded[window] += np.einsum("noyz,oc->ncyz", g, w[:, :, i, j])
    return (dpadded[:, :, pad : pad + H, pad : pad + W] if crop else dpadded), dw


@mistake(
    "kernel-orientation",
    "the kernel is rotated when it is laid over the image",
    "Let g be 1 at a single place: which picture must dx show, and which way up?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    dx, _ = gradients(g, x, w[:, :, ::-1, ::-1], stride, pad)
    return dx, gradients(g, x, w, stride, pad)[1], g.sum(axis=(0, 2, 3))


@mistake(
    "channels-swapped",
    "dw has the input channels first",
    "Compare the shape of your dw with that of w when there are 2 channels in and 3 out.",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    dx, dw = gradients(g, x, w, stride, pad)
    return dx, dw.swapaxes(0, 1).copy(), g.sum(axis=(0, 2, 3))


@mistake(
    "db-batch-only",
    "the bias is shared by the images of a batch only",
    "To how many places of one output image was b[o] added?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    return *gradients(g, x, w, stride, pad), g.sum(axis=0)


@mistake(
    "padding-not-cropped",
    "dx has the size of the padded image",
    "Which entries of your dx belong to zeros that nobody handed in?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    return *gradients(g, x, w, stride, pad, crop=False), g.sum(axis=(0, 2, 3))


@mistake(
    "stride-ignored",
    "neighbouring outputs read windows one pixel apart",
    "Which pixel is the first of the window that out[..., 1, 0] read?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    return *gradients(g, x, w, 1, pad), g.sum(axis=(0, 2, 3))


@mistake(
    "windows-assigned",
    "every pixel is read by one window",
    "How many windows of a 3x3 kernel with stride 1 read a pixel in the middle?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (Y, Z), (H, W) = g.shape[2:], x.shape[2:]
    dpadded = np.zeros((*x.shape[:2], H + 2 * pad, W + 2 * pad), x.dtype)
    for i, j in np.ndindex(w.shape[2:]):
        window = ..., slice(i, i + stride * Y, stride), slice(j, j + stride * Z, stride)
        dpadded[window] = np.einsum("noyz,oc->ncyz", g, w[:, :, i, j])
    _, dw = gradients(g, x, w, stride, pad)
    return dpadded[:, :, pad : pad + H, pad : pad + W], dw, g.sum(axis=(0, 2, 3))


@mistake(
    "padding-forgotten-in-dw",
    "the windows are cut out of x itself",
    "What did the kernel see at the border in the forward?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (Y, Z), dw = g.shape[2:], np.zeros_like(w)
    grown = np.zeros((*x.shape[:2], stride * Y + w.shape[2], stride * Z + w.shape[3]), x.dtype)
    H, W = min(x.shape[2], grown.shape[2]), min(x.shape[3], grown.shape[3])
    grown[:, :, :H, :W] = x[:, :, :H, :W]
    for i, j in np.ndindex(w.shape[2:]):
        window = ..., slice(i, i + stride * Y, stride), slice(j, j + stride * Z, stride)
        dw[:, :, i, j] = np.einsum("noyz,ncyz->oc", g, grown[window])
    return gradients(g, x, w, stride, pad)[0], dw, g.sum(axis=(0, 2, 3))
