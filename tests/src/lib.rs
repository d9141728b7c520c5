//! Only tests live here: see `suite/` and `e2e/`.
