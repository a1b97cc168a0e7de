"""Engines move rows; kernels compute. `base` holds the verbs, `local` and `spark` carry them out."""
