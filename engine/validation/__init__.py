"""Published or own measurements against what the model predicts for them."""
