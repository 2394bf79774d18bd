"""Topgate with nothing but Python 3.9 or later. Copy what you need.

    export TOPGATE_URL=http://127.0.0.1:3000 TOPGATE_TOKEN=tg_test_… TOPGATE_SECRET=tgs_…
    python3 topgate.py services MLBB
    python3 topgate.py order MLBB-85 123450001 2001
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("TOPGATE_URL", "http://127.0.0.1:3000")
TOKEN = os.environ.get("TOPGATE_TOKEN", "")
SECRET = os.environ.get("TOPGATE_SECRET", "")
TRIES = 6
CALL_LIMIT_SECONDS = 30
ORDER_LIMIT_SECONDS = 120
TOLERANCE_SECONDS = 300


class TopgateError(Exception):
    """A refusal, or no answer at all. `code` is for programs; quote `request_id` to the operator."""

    def __init__(self, message, code=None, request_id=None):
        super().__init__(message)
        self.code = code
        self.request_id = request_id


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The token must not follow a redirect to somebody else."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def sign(secret, order):
    """The values joined by one line feed, without one at the end; HMAC-SHA256 with the secret as given; lower-case hex."""
    values = [order["service_code"], order["ref_id"], order["user_id"], order["zone"]]
    if order.get("max_price") is not None:
        values.append(str(order["max_price"]))
    return hmac.new(secret.encode(), "\n".join(values).encode(), hashlib.sha256).hexdigest()


def request(method, path, body=None):
    """Sends the same bytes again after a lost answer, a 5xx or a 429.

    That is safe for everything in this file: reads change nothing, and an order with the same ref_id is never bought
    twice. Any other refusal is raised at once.
    """
    data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json"}
    if data is not None:
        headers["Content-Type"] = "application/json"
    failure = None
    for attempt in range(TRIES):
        wait = 2**attempt
        try:
            call = urllib.request.Request(URL + path, data, headers, method=method)
            with OPENER.open(call, timeout=CALL_LIMIT_SECONDS) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            failure = refusal(error)
            if error.code < 500 and error.code != 429:
                raise failure from None
            after = error.headers.get("Retry-After", "")
            wait = max(wait, int(after)) if re.fullmatch("[0-9]{1,4}", after) else wait
        except (OSError, http.client.HTTPException, ValueError) as error:
            failure = no_answer(error)
        if attempt < TRIES - 1:
            time.sleep(wait)
    raise failure


def refusal(error):
    """What the service said; something between us and the service may have answered instead, and not in JSON."""
    try:
        answer = json.load(error)
        code, message, request_id = answer["error"]["code"], answer["message"], answer["request_id"]
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return no_answer(f"HTTP {error.code}, not from Topgate")
    return TopgateError(f"{code}: {message} (HTTP {error.code}, request_id {request_id})", code, request_id)


def no_answer(reason):
    return TopgateError(f"No answer: {reason}. An order may exist all the same: send it again with the same ref_id.")


def list_services(product_code=""):
    query = "?" + urllib.parse.urlencode({"product_code": product_code}) if product_code else ""
    return request("GET", "/api/service" + query)


def place_order(order):
    """Store the sale with its ref_id before you call this, so that you can send the very same order after a crash."""
    body = {name: value for name, value in order.items() if name not in ("user_id", "zone")}
    body["account_identifier"] = {"user_id": order["user_id"], "zone": order["zone"]}
    body["signature"] = sign(SECRET, order)
    return request("POST", "/api/order", body)


def wait_for_order(ref_id):
    """Asks until the order is not `Process`. One that still is then is not lost: ask again later, refund nobody yet."""
    give_up_at = time.monotonic() + ORDER_LIMIT_SECONDS
    wait = 0.5
    while True:
        time.sleep(wait)
        order = request("GET", "/api/order/status?" + urllib.parse.urlencode({"ref_id": ref_id}))
        if order["status"] != "Process" or time.monotonic() > give_up_at:
            return order
        wait = min(wait * 2, 5)


def verify_webhook(secret, webhook_id, timestamp, signatures, body, now=None):
    """Is this delivery from Topgate, and fresh?

    Pass the values of the headers webhook-id, webhook-timestamp and webhook-signature, and the body as the raw bytes that
    came, before any JSON parser. While a secret is being rotated there are several signatures, and one good one is enough.
    The same event can arrive twice: keep each webhook-id that you have handled, and answer 200 to a known one without
    handling it again.
    """
    now = time.time() if now is None else now
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{webhook_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(expected, signature.encode()) for signature in signatures.split(" "))


def order(service_code, user_id, zone, ref_id=None):
    ref_id = ref_id or f"EXAMPLE-{time.time_ns() // 1_000_000}"
    service = next((service for service in list_services() if service["service_code"] == service_code), None)
    if service is None:
        raise TopgateError(f"There is no service {service_code}.")
    print(f"{service['service_name']}: {service['price']}, {service['status']}")
    fields = {"service_code": service_code, "ref_id": ref_id, "user_id": user_id, "zone": zone, "max_price": service["price"]}
    placed = place_order(fields)
    print(f"{ref_id} is {placed['order_id']}: {placed['status']}", flush=True)
    ended = wait_for_order(ref_id) if placed["status"] == "Process" else placed
    print(ended["status"], ended["serial_number"] or (ended["failure"] or {}).get("message", ""))
    return 0 if ended["status"] == "Success" else 1


def check_vectors(folder):
    def read(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return json.load(file)

    signatures = read("signature-vectors.json")
    webhooks = read("webhook-vectors.json")
    wrong = [vector["order"]["ref_id"] for vector in signatures if sign(vector["secret"], vector["order"]) != vector["signature"]]
    for vector in webhooks:
        values = [vector[name] for name in ("secret", "id", "timestamp", "signature")]
        if verify_webhook(*values, vector["body"].encode(), vector["now"]) != vector["valid"]:
            wrong.append(vector["name"])
    for name in wrong:
        print(f"wrong: {name}")
    print(f"{len(signatures)} signatures, {len(webhooks)} webhooks, {len(wrong)} wrong")
    return 1 if wrong else 0


def main(command="", *values):
    if command == "services" and len(values) <= 1:
        for service in list_services(*values):
            print(f"{service['service_code']}  {service['price']}  {service['status']}  {service['service_name']}")
        return 0
    if command == "order" and len(values) in (3, 4):
        return order(*values)
    if command == "vectors" and len(values) == 1:
        return check_vectors(*values)
    raise TopgateError("Usage: services [PRODUCT] | order SERVICE USER_ID ZONE [REF_ID] | vectors FOLDER")


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except TopgateError as error:
        sys.exit(str(error))
