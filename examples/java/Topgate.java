import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Topgate with nothing but Java 17 or later. Copy what you need.
 *
 * <pre>
 * export TOPGATE_URL=http://127.0.0.1:3000 TOPGATE_TOKEN=tg_test_... TOPGATE_SECRET=tgs_...
 * java Topgate.java services MLBB
 * java Topgate.java order MLBB-85 123450001 2001
 * </pre>
 */
public final class Topgate {
    private static final int TRIES = 6;
    private static final long CALL_LIMIT_SECONDS = 30;
    private static final Duration ORDER_LIMIT = Duration.ofMinutes(2);
    private static final long TOLERANCE_SECONDS = 300;
    private static final String URL = System.getenv().getOrDefault("TOPGATE_URL", "http://127.0.0.1:3000");
    private static final String TOKEN = System.getenv().getOrDefault("TOPGATE_TOKEN", "");
    private static final String SECRET = System.getenv().getOrDefault("TOPGATE_SECRET", "");
    /** It follows no redirects, and must not: the token would go to somebody else. */
    private static final HttpClient CLIENT = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    /** A refusal, or no answer at all (a null code). `code` is for programs; quote `requestId` to the operator. */
    static final class TopgateException extends RuntimeException {
        final String code;
        final String requestId;

        TopgateException(String message, String code, String requestId) {
            super(message);
            this.code = code;
            this.requestId = requestId;
        }
    }

    record Service(String code, String name, long price, String status) {}

    /** The zone is empty for a game without zones. With a maxPrice (else null) the order is refused when the price is higher. */
    record NewOrder(String serviceCode, String refId, String userId, String zone, Long maxPrice) {}

    /** `detail` is the proof of delivery, or why the order failed. */
    record Order(String orderId, String status, String detail) {}

    /** The values joined by one line feed, without one at the end; HMAC-SHA256 with the secret as given; lower-case hex. */
    static String sign(String secret, NewOrder order) {
        var values = new ArrayList<>(List.of(order.serviceCode(), order.refId(), order.userId(), order.zone()));
        if (order.maxPrice() != null) values.add(order.maxPrice().toString());
        return HexFormat.of().formatHex(hmac(secret.getBytes(UTF_8), String.join("\n", values).getBytes(UTF_8)));
    }

    private static byte[] hmac(byte[] key, byte[]... parts) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) mac.update(part);
            return mac.doFinal();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Sends the same bytes again after a lost answer, a 5xx or a 429. That is safe for everything in this file: reads change
     * nothing, and an order with the same ref_id is never bought twice. Any other refusal is thrown at once.
     */
    static Object request(String method, String path, Object body) throws InterruptedException {
        var builder = HttpRequest.newBuilder(URI.create(URL + path))
                .header("Authorization", "Bearer " + TOKEN)
                .header("Accept", "application/json");
        if (body == null) builder.method(method, BodyPublishers.noBody());
        else builder.method(method, BodyPublishers.ofString(Json.write(body), UTF_8)).header("Content-Type", "application/json");
        var request = builder.build();
        TopgateException failure = null;
        long wait = 0;
        for (int attempt = 0; attempt < TRIES; attempt++) {
            TimeUnit.SECONDS.sleep(wait);
            wait = 1L << attempt;
            var sending = CLIENT.sendAsync(request, BodyHandlers.ofString(UTF_8));
            try {
                var response = sending.get(CALL_LIMIT_SECONDS, TimeUnit.SECONDS);
                int status = response.statusCode();
                var answer = Json.read(response.body());
                if (status == 200 && answer != null) return Json.get(answer, "data");
                failure = refusal(status, answer);
                if (status >= 300 && status < 500 && status != 429) break;
                wait = Math.max(wait, retryAfter(response));
            } catch (ExecutionException lost) {
                failure = noAnswer(lost.getCause());
            } catch (TimeoutException late) {
                sending.cancel(true);
                failure = noAnswer("none within " + CALL_LIMIT_SECONDS + " s");
            }
        }
        throw failure;
    }

    private static long retryAfter(HttpResponse<?> response) {
        var seconds = response.headers().firstValue("Retry-After").orElse("");
        return seconds.matches("[0-9]{1,4}") ? Long.parseLong(seconds) : 0;
    }

    /** What the service said; something between us and the service may have answered instead, and not in JSON. */
    private static TopgateException refusal(int status, Object answer) {
        if (!(Json.get(answer, "error", "code") instanceof String code)) return noAnswer("HTTP " + status + ", not from Topgate");
        var requestId = (String) Json.get(answer, "request_id");
        var message = "%s: %s (HTTP %d, request_id %s)".formatted(code, Json.get(answer, "message"), status, requestId);
        return new TopgateException(message, code, requestId);
    }

    private static TopgateException noAnswer(Object reason) {
        var message = "No answer: " + reason + ". An order may exist all the same: send it again with the same ref_id.";
        return new TopgateException(message, null, null);
    }

    static List<Service> listServices(String productCode) throws InterruptedException {
        var query = productCode.isEmpty() ? "" : "?product_code=" + URLEncoder.encode(productCode, UTF_8);
        return ((List<?>) request("GET", "/api/service" + query, null)).stream().map(Topgate::toService).toList();
    }

    private static Service toService(Object data) {
        var price = (long) Json.get(data, "price");
        return new Service(text(data, "service_code"), text(data, "service_name"), price, text(data, "status"));
    }

    /** Store the sale with its refId before you call this, so that you can send the very same order again after a crash. */
    static Order placeOrder(NewOrder order) throws InterruptedException {
        var body = new LinkedHashMap<String, Object>();
        body.put("service_code", order.serviceCode());
        body.put("ref_id", order.refId());
        body.put("account_identifier", Map.of("user_id", order.userId(), "zone", order.zone()));
        if (order.maxPrice() != null) body.put("max_price", order.maxPrice());
        body.put("signature", sign(SECRET, order));
        return toOrder(request("POST", "/api/order", body));
    }

    /** Asks until the order is not `Process`. One that still is at the limit is not lost: ask again later, refund nobody yet. */
    static Order waitForOrder(String refId) throws InterruptedException {
        var giveUpAt = Instant.now().plus(ORDER_LIMIT);
        for (long wait = 500; ; wait = Math.min(wait * 2, 5_000)) {
            TimeUnit.MILLISECONDS.sleep(wait);
            var order = toOrder(request("GET", "/api/order/status?ref_id=" + URLEncoder.encode(refId, UTF_8), null));
            if (!order.status().equals("Process") || Instant.now().isAfter(giveUpAt)) return order;
        }
    }

    private static Order toOrder(Object data) {
        var failed = Json.get(data, "failure") != null;
        var detail = failed ? Json.get(data, "failure", "message") : Json.get(data, "serial_number");
        return new Order(text(data, "order_id"), text(data, "status"), detail == null ? "" : (String) detail);
    }

    private static String text(Object data, String name) {
        return (String) Json.get(data, name);
    }

    /**
     * Is this delivery from Topgate, and fresh? Pass the values of the headers webhook-id, webhook-timestamp and
     * webhook-signature, and the raw body, before any JSON parser. While a secret is being rotated there are several
     * signatures, and one good one is enough. The same event can arrive twice: keep each webhook-id that you have handled, and
     * answer 200 to a known one without handling it again.
     */
    static boolean verifyWebhook(String secret, String id, String timestamp, String signatures, byte[] body, Instant now) {
        if (!timestamp.matches("[0-9]{1,12}")) return false;
        if (Math.abs(now.getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
        var key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
        var digest = hmac(key, (id + "." + timestamp + ".").getBytes(UTF_8), body);
        var expected = ("v1," + Base64.getEncoder().encodeToString(digest)).getBytes(UTF_8);
        for (var signature : signatures.split(" "))
            if (MessageDigest.isEqual(expected, signature.getBytes(UTF_8))) return true;
        return false;
    }

    private static boolean order(String serviceCode, String userId, String zone, String refId) throws InterruptedException {
        var service = listServices("").stream().filter(candidate -> candidate.code().equals(serviceCode)).findFirst()
                .orElseThrow(() -> new TopgateException("There is no service " + serviceCode + ".", null, null));
        System.out.printf("%s: %d, %s%n", service.name(), service.price(), service.status());
        var order = placeOrder(new NewOrder(serviceCode, refId, userId, zone, service.price()));
        System.out.printf("%s is %s: %s%n", refId, order.orderId(), order.status());
        if (order.status().equals("Process")) order = waitForOrder(refId);
        System.out.println(order.status() + " " + order.detail());
        return order.status().equals("Success");
    }

    private static boolean checkVectors(Path folder) throws IOException {
        var signatures = (List<?>) Json.read(Files.readString(folder.resolve("signature-vectors.json")));
        var webhooks = (List<?>) Json.read(Files.readString(folder.resolve("webhook-vectors.json")));
        var wrong = new ArrayList<String>();
        for (var vector : signatures) {
            var fields = Json.get(vector, "order");
            var refId = text(fields, "ref_id");
            var zone = text(fields, "zone");
            var maxPrice = (Long) Json.get(fields, "max_price");
            var order = new NewOrder(text(fields, "service_code"), refId, text(fields, "user_id"), zone, maxPrice);
            if (!sign(text(vector, "secret"), order).equals(text(vector, "signature"))) wrong.add(refId);
        }
        for (var vector : webhooks) {
            var secret = text(vector, "secret");
            var signature = text(vector, "signature");
            var body = text(vector, "body").getBytes(UTF_8);
            var now = Instant.ofEpochSecond((long) Json.get(vector, "now"));
            var valid = verifyWebhook(secret, text(vector, "id"), text(vector, "timestamp"), signature, body, now);
            if (valid != (boolean) Json.get(vector, "valid")) wrong.add(text(vector, "name"));
        }
        for (var name : wrong) System.out.println("wrong: " + name);
        System.out.printf("%d signatures, %d webhooks, %d wrong%n", signatures.size(), webhooks.size(), wrong.size());
        return wrong.isEmpty();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        var values = List.of(arguments);
        var command = values.isEmpty() ? "" : values.get(0) + " " + (values.size() - 1);
        try {
            var good = switch (command) {
                case "services 0", "services 1" -> {
                    for (var service : listServices(values.size() == 2 ? values.get(1) : ""))
                        System.out.printf("%s  %d  %s  %s%n", service.code(), service.price(), service.status(), service.name());
                    yield true;
                }
                case "order 3" -> order(values.get(1), values.get(2), values.get(3), "EXAMPLE-" + System.currentTimeMillis());
                case "order 4" -> order(values.get(1), values.get(2), values.get(3), values.get(4));
                case "vectors 1" -> checkVectors(Path.of(values.get(1)));
                default -> {
                    System.err.println("Usage: services [PRODUCT] | order SERVICE USER_ID ZONE [REF_ID] | vectors FOLDER");
                    yield false;
                }
            };
            if (!good) System.exit(1);
        } catch (TopgateException error) {
            System.err.println(error.getMessage());
            System.exit(1);
        }
    }

    /** Just enough JSON for this file, as Java brings none: maps, lists, text, whole numbers, booleans. Use your library. */
    private static final class Json {
        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        /** The value of a JSON text, or null when it is not JSON. */
        static Object read(String text) {
            try {
                return new Json(text).value();
            } catch (IndexOutOfBoundsException | NumberFormatException broken) {
                return null;
            }
        }

        /** The value under these names, or null. */
        static Object get(Object value, String... names) {
            for (var name : names) value = value instanceof Map<?, ?> map ? map.get(name) : null;
            return value;
        }

        static String write(Object value) {
            if (value instanceof Map<?, ?> map) {
                var members = map.entrySet().stream().map(member -> write(member.getKey()) + ":" + write(member.getValue()));
                return "{" + String.join(",", members.toList()) + "}";
            }
            return value instanceof String string ? quote(string) : String.valueOf(value);
        }

        private static String quote(String string) {
            var quoted = new StringBuilder("\"");
            for (char c : string.toCharArray())
                if (c < ' ' || c == '"' || c == '\\') quoted.append("\\u%04x".formatted((int) c));
                else quoted.append(c);
            return quoted.append('"').toString();
        }

        private Object value() {
            switch (peek()) {
                case '{' -> {
                    var map = new LinkedHashMap<String, Object>();
                    while (more('}')) {
                        var name = string();
                        peek();
                        at++;
                        map.put(name, value());
                    }
                    return map;
                }
                case '[' -> {
                    var list = new ArrayList<Object>();
                    while (more(']')) list.add(value());
                    return list;
                }
                case '"' -> {
                    return string();
                }
                default -> {
                    int start = at;
                    while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) at++;
                    var word = text.substring(start, at);
                    return switch (word) {
                        case "null" -> null;
                        case "true" -> true;
                        case "false" -> false;
                        default -> Long.parseLong(word);
                    };
                }
            }
        }

        /** Steps over the opening bracket or a comma; false after the closing bracket. */
        private boolean more(char end) {
            if (peek() == end) {
                at++;
                return false;
            }
            at++;
            if (peek() != end) return true;
            at++;
            return false;
        }

        private char peek() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        private String string() {
            peek();
            var string = new StringBuilder();
            while (text.charAt(++at) != '"') {
                if (text.charAt(at) != '\\') {
                    string.append(text.charAt(at));
                    continue;
                }
                char escaped = text.charAt(++at);
                int known = "nrtbf".indexOf(escaped);
                if (escaped == 'u') {
                    string.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                    at += 4;
                } else string.append(known < 0 ? escaped : "\n\r\t\b\f".charAt(known));
            }
            at++;
            return string.toString();
        }
    }
}
