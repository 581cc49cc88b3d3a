"""`python -m spacy_chance_eval` is `spacy-chance-eval`."""

from .cli import main

main()
