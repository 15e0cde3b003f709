"""`python -m summq` is the command `summq`."""

from summq.cli.main import main

if __name__ == "__main__":
    main()
