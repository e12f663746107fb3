"""One module for each view, and for what concerns all of them. None is called test_*: they need a browser and a gateway."""
