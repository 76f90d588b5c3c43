"""The data model of the engine: tensors, graph nodes, primitives and the modes that decide what is recorded."""
