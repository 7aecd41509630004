"""Vectors by gensim's skip-gram on PecanPy's walks over a weighted edge list; runs in the environment of the peers."""

import json
import sys

import numpy as np
from gensim.models import Word2Vec
from pecanpy.pecanpy import SparseOTF  # type: ignore[import-not-found]


def main() -> None:
    edges, out, n_nodes, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    dimensions, walks_per_node, walk_length = map(int, sys.argv[5:8])
    p, q = map(float, sys.argv[8:10])
    window, negatives = map(int, sys.argv[10:12])
    subsampling, epochs, rate, final_rate = float(sys.argv[12]), int(sys.argv[13]), *map(float, sys.argv[14:16])
    graph = SparseOTF(p=p, q=q, workers=1, verbose=False, random_state=seed)
    graph.read_edg(edges, weighted=True, directed=False)
    walks = graph.simulate_walks(walks_per_node, walk_length - 1)  # PecanPy's length counts steps, not nodes
    model = Word2Vec(
        walks, sg=1, vector_size=dimensions, window=window, negative=negatives, ns_exponent=0.75, sample=subsampling,
        min_count=1, epochs=epochs, alpha=rate, min_alpha=final_rate, workers=1, seed=seed,
    )  # fmt: skip
    vectors = np.zeros((n_nodes, dimensions), dtype=np.float32)
    vectors[[int(name) for name in model.wv.index_to_key]] = model.wv.vectors
    np.save(out, vectors)
    print(json.dumps({"nodes": len(model.wv)}))


if __name__ == "__main__":
    main()
