"""A web server of this machine, for the tests that download."""

import threading
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer


class Handler(SimpleHTTPRequestHandler):
    """Files of a folder, and some that are not there.

    `short-...` breaks off halfway, `endless-...` never ends, `broken...` is an error.
    """

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.asked.append(self.path)
        if "broken" in self.path:
            self.send_error(500)
        elif "short-" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", "10000")
            self.end_headers()
            self.wfile.write(b"x" * 5000)
        elif "endless-" in self.path:
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):  # until the other end has enough
                while True:
                    self.wfile.write(b"x" * 2**16)
        else:
            super().do_GET()


@contextmanager
def serving(folder):
    """URL of a folder, and the list of what was asked for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    server.asked = []
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", server.asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
