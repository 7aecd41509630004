"""Logistic regression by LIBLINEAR, the paper's classifier.

The paper does not give its options; we take L2-regularized logistic regression in the primal, C = 1, and a bias.
LIBLINEAR reads a row as an array of (index, value) nodes and a problem as an array of pointers to rows: 16 bytes a
value, 2 GB for the 950,000 training rows of 128 features at Tmall's size. ctypes releases the interpreter lock during
the call, so fits can run in parallel threads, each with its own rows.
"""

import ctypes

import numpy as np
from liblinear import liblinear as library
from numpy.typing import NDArray

from evaluation.link_prediction.features import Features, Rows, blocks

OPTIONS = "-s 0 -c 1 -B 1 -q"
NODE = np.dtype([("index", np.int32), ("value", np.float64)], align=True)  # struct feature_node


def fit_by_liblinear(features: Features, rows: Rows, positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """LIBLINEAR's weights (features, then bias); positive[i] is the class of rows[i], and both classes occur."""
    nodes = _nodes(features, rows)
    classes = np.where(positive, 1.0, -1.0)
    addresses = nodes.ctypes.data + np.arange(len(rows), dtype=np.uint64) * np.uint64(nodes.strides[0])
    problem = library.problem.__new__(library.problem)  # its constructor would copy every row node by node
    problem.l = len(rows)
    problem.n = features.n_features + 1
    problem.y = classes.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    problem.x = addresses.ctypes.data_as(ctypes.POINTER(ctypes.POINTER(library.feature_node)))
    problem.bias = 1.0
    model = library.liblinear.train(problem, library.parameter(OPTIONS))
    try:
        weights = np.ctypeslib.as_array(model.contents.w, (features.n_features + 1,)).copy()
        first_class = model.contents.label[0]
    finally:
        library.liblinear.free_and_destroy_model(model)
    return weights * first_class  # the weights point to the class that LIBLINEAR names first


def _nodes(features: Features, rows: Rows) -> NDArray[np.void]:
    """The rows in LIBLINEAR's layout: features, then the constant 1 of the bias, then the end mark (index -1)."""
    width = features.n_features + 2
    nodes = np.empty((len(rows), width), dtype=NODE)
    nodes["index"][:, :-1] = np.arange(1, width, dtype=np.int32)
    nodes["index"][:, -1] = -1
    nodes["value"][:, -1] = 0.0
    for part, block in blocks(features, rows):
        nodes["value"][part, :-1] = block
    return nodes
