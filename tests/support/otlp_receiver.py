"""otlp_receiver.py: a server that takes requests of OTLP, and answers as a test sets it; see wire.py."""
import gzip, http.server, ssl, threading


class Receiver(http.server.BaseHTTPRequestHandler):
    answers, taken, asked = [], [], 0
    refused = ""  # a path, which it does not have
    held = None  # an event: answers wait for it

    def do_POST(self):
        Receiver.asked += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        packed = self.headers.get("Content-Encoding")
        assert packed in (None, "gzip"), packed
        body = gzip.decompress(body) if packed else body
        answer = Receiver.answers.pop(0) if Receiver.answers else 404 if self.path == Receiver.refused else 200
        if Receiver.held:
            Receiver.held.wait(30)
        if answer == "reset":
            self.connection.close()
            return
        if answer == "hang":
            self.connection.recv(1)  # until the client gives up
            return
        content = {"partial": b"\x0a\x09\x08\x02\x12\x05a bit", "long": bytes(3 << 20), 400: b"\x08\x03\x12\x07no <\x01>!",
                   404: b"404 page not found\nsecond line"}.get(answer, b"")
        if answer in ("partial", "long"):
            answer = 200
        if answer == 200:
            Receiver.taken.append((self.path, self.headers["Content-Type"], self.headers.get("X-Key"), body, packed))
        self.send_response(answer)
        if answer == 429:
            self.send_header("Retry-After", "1")
        if answer == 307:
            self.send_header("Location", "http://localhost:9/elsewhere")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:
            pass  # the client needs no more

    def log_message(self, *arguments):
        pass


def start(port=0, certificate=None):
    """The address of a new server, and a function that stops it. `certificate`: with its key; then the server takes TLS only."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    def stop():
        server.shutdown()
        server.server_close()
    return f"http{'s' if certificate else ''}://127.0.0.1:{server.server_port}", stop
