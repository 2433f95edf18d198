"""The collector: a form that randomizes answers in the browser, and a server that keeps reports alone."""
