"""The data model of the engine: tensors, graph nodes, primitives and the modes that control recording."""
