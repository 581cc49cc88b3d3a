"""A web server of this machine, for the tests that fetch."""

import gzip
import threading
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote


class Handler(SimpleHTTPRequestHandler):
    """Files of a folder, and some that are not there.

    `short-...` breaks off halfway, `slow-...` waits there until the server ends, `broken...` is an
    error, `length-...` has what follows, decoded, as its length. `endless-...` never ends,
    `packed-...` is packed 1000 times smaller, `moved-...` is at the address that follows, decoded.
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
        elif "slow-" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", "10000")
            self.end_headers()
            self.wfile.write(b"x" * 5000)
            self.server.ended.wait()
        elif "length-" in self.path:
            self.send_response(200)
            self.send_header("Content-Length", unquote(self.path.partition("length-")[2]))
            self.end_headers()
            self.wfile.write(b"x" * 5000)
        elif "endless-" in self.path:
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):  # until the other end has enough
                while True:
                    self.wfile.write(b"x" * 2**16)
        elif "packed-" in self.path:
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(gzip.compress(bytes(2**23)))
        elif "moved-" in self.path:
            self.send_response(302)
            self.send_header("Location", unquote(self.path.partition("moved-")[2]))
            self.end_headers()
        else:
            super().do_GET()


@contextmanager
def serving(folder):
    """URL of a folder, and the list of what was asked for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    server.asked, server.ended = [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", server.asked
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
