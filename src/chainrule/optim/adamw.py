"""AdamW, under the name of its own module too."""

from .adam import AdamW
from .helper_names import step_function_of

__all__ = ["AdamW"]

__getattr__ = step_function_of(__name__)
