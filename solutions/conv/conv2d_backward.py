"""A convolution is a sum over the kernel positions (i, j). At one position, all outputs together read one strided slice
of the padded image. Y and Z are the height and width of `out`, and s is the stride:

    window = padded[:, :, i : i + s·Y : s,  j : j + s·Z : s]

For this position the convolution is a matrix product over channels, out += w[:, :, i, j] · window. Backward is
therefore the two products of `matmul_backward`, once per position:

    dw[o, c, i, j] = Σ_{n,y,z} g[n, o, y, z] · window[n, c, y, z]
    dwindow[n, c, y, z] = Σ_o w[o, c, i, j] · g[n, o, y, z]

The slices of neighbouring positions overlap. A pixel that is read several times collects several contributions, so dx
needs `+=` into a buffer of the *padded* size. The padding is not an input, so it is cropped from the buffer at the end.
b was added at every place of every image, so db sums g over the batch axis and both spatial axes.

With stride 1, the gradient of the padded image is itself a convolution of g, with "full" padding. The kernel of this
convolution is w, rotated by 180° and with the channel axes exchanged. This operation is called a transposed
convolution.

Cost: with a kernel of K by L, dw takes as many multiplications as the forward, N·O·C·K·L·Y·Z. dx takes the same number,
so backward costs about as much as two forwards. db takes N·O·Y·Z additions. x and w are saved. The padded copy of x is
recomputed, and neither out nor b is needed.

PyTorch: `ConvolutionBackward0` saves both x and w, even if one of them requires no gradient. The node calls
`convolution_backward` once, with a mask that says which of the three gradients are wanted. In PyTorch, stride, padding
and dilation may differ between the axes, and `groups` splits the channels. This exercise has one group, no dilation,
one stride and one padding. Neither PyTorch's forward nor the forward of this exercise rotates the kernel: what
frameworks call a convolution is a cross-correlation.

Asked next:

- How can dx be computed as a single convolution at stride s > 1? → Insert s − 1 zeros between neighbouring elements of
  g, and convolve with the rotated kernel as at stride 1. Append zeros for the rows and columns that no window read. The
  result is `conv_transpose2d` with the same w, stride and padding; its `output_padding` is the number of those rows and
  columns.
- Which test needs neither finite differences nor a second implementation? → out − b is linear in x and in w. With
  random arrays, Σ g·(out − b) = Σ dx·x = Σ dw·w up to rounding, at any stride and padding. A rotated kernel breaks this
  equality, and so does `=` instead of `+=` if windows overlap.
- Batch normalisation in training mode follows this convolution. What is db? → db is 0 up to rounding, because the
  normalisation subtracts each channel's mean, which includes b. A convolution before batch normalisation is therefore
  built with `bias=False`, and the normalisation supplies the shift.
- What does im2col gain, and at what price? → im2col copies each window into a row of a matrix with N·Y·Z rows and C·K·L
  columns. The forward, dw and the windows' gradients are then one matrix product each. Adding the windows' gradients
  back to the pixels (col2im) is the `+=` above. At stride 1, with padding that keeps the image's size, the matrix is
  K·L times as large as x.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    (
        "Fix one position (i, j) of the kernel. Which pixels do the outputs read there, and by which numbers are these "
        "pixels multiplied?"
    ),
    "Each position reads one strided slice. For dw, sum g times the slice. For dx, add w times g into the same slice.",
    (
        "If out has Y rows, position i reads the rows `i : i + stride * Y : stride`. Use `np.einsum` over channels, "
        "add into zeros of the padded shape, and crop."
    ),
)
# Frameworks refuse a convolution without channels, so no axis is empty.
CASES = [
    given("x[N,C,2,3] w[O,C,2,2] b[O]", large=False),
    given("x[N,C,4,5] w[O,C,3,3] b[O]", stride=1, pad=1, large=False),
    # A loop over the single elements of g takes a million steps.
    given("x[N,C,16,20] w[O,C,3,3] b[O]", stride=1, pad=1, large={"N": 50, "C": 2, "O": 64}, note="larger images"),
    given("x[N,C,4,5] w[O,C,1,1] b[O]", large=False),
    given("x[N,C,5,6] w[O,C,2,3] b[O]", large=False),
    given("x[N,C,5,7] w[O,C,3,2] b[O]", stride=2, pad=1, large=False),
    given("x[N,C,6,6] w[O,C,3,3] b[O]", stride=2, large=False, note="a row and a column that no window reads"),
    given("x[N,C,5,4] w[O,C,2,2] b[O]", stride=3, pad=2, large=False),
    given("x[N,C,5,4] w[O,C,2,2] b[O]", stride=1, pad=2, large=False),
]
EQUIVALENT = {
    "assign: dw[:, :, i, j] += np.einsum('noyz,ncyz->oc', g, padded[window]) -> "
    "dw[:, :, i, j] = np.einsum('noyz,ncyz->oc', g, padded[window])": "each position of the kernel occurs once",
}


def forward(x, w, b, stride=1, pad=0):
    return engine.conv2d(x, w, b, stride=stride, padding=pad)


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (*_, H, W), (*_, K, L), (*_, Y, Z) = x.shape, w.shape, g.shape
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dpadded, dw = np.zeros_like(padded), np.zeros_like(w)
    for i, j in np.ndindex(K, L):
        rows = slice(i, i + stride * Y, stride)
        window = ..., rows, slice(j, j + stride * Z, stride)
        dw[:, :, i, j] += np.einsum("noyz,ncyz->oc", g, padded[window])
        dpadded[window] += np.einsum("noyz,oc->ncyz", g, w[:, :, i, j])
    db = np.einsum("noyz->o", g)
    return dpadded[:, :, pad : pad + H, pad : pad + W], dw, db


def gradients(g, x, w, stride, pad, crop=True, places=None):
    (*_, H, W), (*_, Y, Z) = x.shape, g.shape
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dpadded, dw = np.zeros_like(padded), np.zeros_like(w)
    for i, j in np.ndindex(places or w.shape[2:]):
        rows = slice(i, i + stride * Y, stride)
        window = ..., rows, slice(j, j + stride * Z, stride)
        dw[:, :, i, j] += np.einsum("noyz,ncyz->oc", g, padded[window])
        dpadded[window] += np.einsum("noyz,oc->ncyz", g, w[:, :, i, j])
    return (dpadded[:, :, pad : pad + H, pad : pad + W] if crop else dpadded), dw


@mistake(
    "kernel-orientation",
    "the forward rotates the kernel",
    "Let g be 1 at a single place and 0 elsewhere. Which pattern must dx show, and in which orientation?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    dx, _ = gradients(g, x, w[:, :, ::-1, ::-1], stride, pad)
    return dx, gradients(g, x, w, stride, pad)[1], g.sum(axis=(0, 2, 3))


@mistake(
    "channels-swapped",
    "the first axis of dw belongs to the input channels",
    "Compare the shape of your dw with that of w for 2 input channels and 3 output channels.",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    dx, dw = gradients(g, x, w, stride, pad)
    return dx, dw.swapaxes(0, 1).copy(), g.sum(axis=(0, 2, 3))


@mistake(
    "db-batch-only",
    "the bias is shared by the images of a batch, but not by the places of an image",
    "To how many places of one output image was b[o] added?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    return *gradients(g, x, w, stride, pad), g.sum(axis=0)


@mistake(
    "padding-not-cropped",
    "dx has the size of the padded image",
    "Which entries of your dx belong to the zeros of the padding?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    return *gradients(g, x, w, stride, pad, crop=False), g.sum(axis=(0, 2, 3))


@mistake(
    "stride-ignored",
    "neighbouring outputs read windows one pixel apart",
    "At which pixel does the window of out[..., 1, 0] start?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    return *gradients(g, x, w, 1, pad), g.sum(axis=(0, 2, 3))


@mistake(
    "windows-assigned",
    "only one window reads each pixel",
    "How many windows of a 3x3 kernel with stride 1 read a pixel in the middle?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (Y, Z), (H, W) = g.shape[2:], x.shape[2:]
    dpadded = np.zeros((*x.shape[:2], H + 2 * pad, W + 2 * pad), x.dtype)
    for i, j in np.ndindex(w.shape[2:]):
        rows = slice(i, i + stride * Y, stride)
        window = ..., rows, slice(j, j + stride * Z, stride)
        dpadded[window] = np.einsum("noyz,oc->ncyz", g, w[:, :, i, j])
    _, dw = gradients(g, x, w, stride, pad)
    return dpadded[:, :, pad : pad + H, pad : pad + W], dw, g.sum(axis=(0, 2, 3))


@mistake(
    "padding-forgotten-in-dw",
    "the windows are slices of the unpadded x",
    "What did the kernel read at the border in the forward?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (Y, Z), dw = g.shape[2:], np.zeros_like(w)
    grown = np.zeros((*x.shape[:2], stride * Y + w.shape[2], stride * Z + w.shape[3]), x.dtype)
    H, W = min(x.shape[2], grown.shape[2]), min(x.shape[3], grown.shape[3])
    grown[:, :, :H, :W] = x[:, :, :H, :W]
    for i, j in np.ndindex(w.shape[2:]):
        rows = slice(i, i + stride * Y, stride)
        window = ..., rows, slice(j, j + stride * Z, stride)
        dw[:, :, i, j] = np.einsum("noyz,ncyz->oc", g, grown[window])
    return gradients(g, x, w, stride, pad)[0], dw, g.sum(axis=(0, 2, 3))


@mistake(
    "cropped-from-the-corner",
    "the image starts at index (0, 0) of the padded array",
    "With pad = 1, at which index of the padded array is pixel (0, 0) of x?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    padded, dw = gradients(g, x, w, stride, pad, crop=False)
    return padded[:, :, : x.shape[2], : x.shape[3]], dw, g.sum(axis=(0, 2, 3))


@mistake(
    "padded-behind",
    "all zeros of the padding are below the image and to its right",
    "With pad = 1, which pixel does out[..., 0, 0] read at the kernel's position (1, 1)?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    grown = np.pad(x, ((0, 0), (0, 0), (0, 2 * pad), (0, 2 * pad)))
    dx, dw = gradients(g, grown, w, stride, 0)
    return dx[:, :, : x.shape[2], : x.shape[3]], dw, g.sum(axis=(0, 2, 3))


@mistake(
    "edges-repeated",
    "the padding repeats the pixels at the border",
    "With which number does the task pad x?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    grown = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), mode="edge")
    return gradients(g, x, w, stride, pad)[0], gradients(g, grown, w, stride, 0)[1], g.sum(axis=(0, 2, 3))


@mistake(
    "square-kernel",
    "the kernel is as wide as it is high",
    "w has shape (O, C, K, L). Over which range does each of your two loops run?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    return *gradients(g, x, w, stride, pad, places=w.shape[2:3] * 2), g.sum(axis=(0, 2, 3))


@mistake(
    "square-kernel-by-width",
    "the kernel is as high as it is wide",
    "w has shape (O, C, K, L). Over which range does your loop over the rows of the kernel run?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    return *gradients(g, x, w, stride, pad, places=w.shape[3:] * 2), g.sum(axis=(0, 2, 3))


@mistake(
    "columns-by-height",
    "out is as wide as it is high",
    "g has shape (N, O, Y, Z). How many columns does the window of one kernel position have?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    Y = g.shape[2]
    square = np.zeros((*g.shape[:2], Y, Y), g.dtype)
    square[..., : g.shape[3]] = g[..., :Y]
    return *gradients(square, x, w, stride, pad), g.sum(axis=(0, 2, 3))


@mistake(
    "exchanged-kernel-axes",
    "w[o, c, i, j] belongs to row j and column i of a window",
    "Which axis of the kernel runs down the image?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad))).swapaxes(2, 3)
    dx, dw = gradients(g.swapaxes(2, 3), padded, w, stride, 0)
    inner = dx.swapaxes(2, 3)[:, :, pad : pad + x.shape[2], pad : pad + x.shape[3]]
    return inner.copy(), dw, g.sum(axis=(0, 2, 3))


@mistake(
    "kernel-rotated-in-dw",
    "the last entry of the kernel multiplies the first pixel of a window",
    "Which pixels does w[..., 0, 0] multiply? Into which entry of dw does your code write their sum?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    dx, dw = gradients(g, x, w, stride, pad)
    return dx, dw[:, :, ::-1, ::-1].copy(), g.sum(axis=(0, 2, 3))


@mistake(
    "dx-without-channels",
    "all input channels get the same gradient",
    "w has an entry for each pair of channels. Which entries multiply channel c of x?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    dx, dw = gradients(g, x, w, stride, pad)
    return np.repeat(dx.sum(axis=1, keepdims=True), x.shape[1], axis=1), dw, g.sum(axis=(0, 2, 3))


@mistake(
    "stride-in-rows-only",
    "only the rows of windows are `stride` apart",
    "At which pixel does the window of out[..., 0, 1] start?",
)
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (*_, H, W), (*_, K, L), (*_, Y, Z) = x.shape, w.shape, g.shape
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dpadded, dw = np.zeros_like(padded), np.zeros_like(w)
    for i, j in np.ndindex(K, L):
        window = ..., slice(i, i + stride * Y, stride), slice(j, j + Z)
        dw[:, :, i, j] = np.einsum("noyz,ncyz->oc", g, padded[window])
        dpadded[window] += np.einsum("noyz,oc->ncyz", g, w[:, :, i, j])
    return dpadded[:, :, pad : pad + H, pad : pad + W], dw, g.sum(axis=(0, 2, 3))
