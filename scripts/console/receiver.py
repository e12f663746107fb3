"""A receiver of webhooks, which answers what it is told to."""

import http.server
import threading


class Receiver:
    """Listens on a free port of this machine until the stack ends."""

    def __init__(self, stack):
        #: Status and body of every answer; in `answers` those of single paths.
        self.answer, self.answers = (204, b""), {}
        self.received = []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                receiver.received.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                status, body = receiver.answers.get(self.path, receiver.answer)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Nothing."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
