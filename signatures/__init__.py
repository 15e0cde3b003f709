"""What each role is asked, and the typed things the roles exchange."""
