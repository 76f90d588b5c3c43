"""Function transforms: gradients, VJPs, JVPs, Jacobians and `vmap`."""
