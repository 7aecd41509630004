"""What runs a method: a child process under limits, its outputs checked and recorded. Imports contract/."""
