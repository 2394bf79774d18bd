<?php

/**
 * Topgate with nothing but PHP 8.1 or later and its curl extension. Copy what you need.
 *
 *     export TOPGATE_URL=http://127.0.0.1:3000 TOPGATE_TOKEN=tg_test_… TOPGATE_SECRET=tgs_…
 *     php topgate.php services MLBB
 *     php topgate.php order MLBB-85 123450001 2001
 */

declare(strict_types=1);

const TRIES = 6;
const CONNECT_LIMIT_SECONDS = 10;
const CALL_LIMIT_SECONDS = 30;
const ORDER_LIMIT_SECONDS = 120;
const TOLERANCE_SECONDS = 300;

/** A refusal, or no answer at all. `errorCode` is for programs; quote `requestId` to the operator. */
final class TopgateError extends RuntimeException
{
    public function __construct(
        string $message,
        public readonly ?string $errorCode = null,
        public readonly ?string $requestId = null,
    ) {
        parent::__construct($message);
    }
}

/**
 * The values joined by one line feed, without one at the end; HMAC-SHA256 with the secret as it was given; lower-case hex.
 *
 * @param array{service_code: string, ref_id: string, user_id: string, zone: string, max_price?: int} $order
 */
function sign(string $secret, array $order): string
{
    $values = [$order['service_code'], $order['ref_id'], $order['user_id'], $order['zone']];
    if (isset($order['max_price'])) {
        $values[] = (string) $order['max_price'];
    }
    return hash_hmac('sha256', implode("\n", $values), $secret);
}

/**
 * Sends the same bytes again after a lost answer, a 5xx or a 429. That is safe for everything in this file: reads change
 * nothing, and an order with the same ref_id is never bought twice. Any other refusal is thrown at once.
 */
function request(string $method, string $path, ?array $body = null): array
{
    $json = $body === null ? null : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    $failure = null;
    $wait = 0;
    for ($attempt = 0; $attempt < TRIES; $attempt++) {
        sleep($wait);
        [$status, $answer, $retryAfter] = send($method, $path, $json);
        if ($status === 200 && is_array($answer)) {
            return $answer['data'];
        }
        $failure = refusal($status, $answer);
        if ($status >= 300 && $status < 500 && $status !== 429) {
            break;
        }
        $wait = max(2 ** $attempt, $retryAfter);
    }
    throw $failure;
}

/** @return array{int, mixed, int} The status, the parsed body, seconds to wait; 0 and the reason when there is no answer. */
function send(string $method, string $path, ?string $json): array
{
    $retryAfter = 0;
    $headers = ['Authorization: Bearer ' . getenv('TOPGATE_TOKEN'), 'Accept: application/json'];
    $curl = curl_init((getenv('TOPGATE_URL') ?: 'http://127.0.0.1:3000') . $path);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => $json === null ? $headers : [...$headers, 'Content-Type: application/json'],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_CONNECTTIMEOUT => CONNECT_LIMIT_SECONDS,
        CURLOPT_TIMEOUT => CALL_LIMIT_SECONDS,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$retryAfter): int {
            if (preg_match('/^retry-after: *(\d{1,4})\s*$/i', $line, $match)) {
                $retryAfter = (int) $match[1];
            }
            return strlen($line);
        },
    ]);
    if ($json !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, $json);
    }
    $text = curl_exec($curl);
    if ($text === false) {
        return [0, curl_error($curl), 0];
    }
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), json_decode($text, true), $retryAfter];
}

/** What the service said; something between us and the service may have answered instead, and not in JSON. */
function refusal(int $status, mixed $answer): TopgateError
{
    $code = $answer['error']['code'] ?? null;
    if ($code === null) {
        $reason = $status === 0 ? $answer : "HTTP $status, not from Topgate";
        return new TopgateError("No answer: $reason. An order may exist all the same: send it again with the same ref_id.");
    }
    $requestId = $answer['request_id'];
    return new TopgateError("$code: {$answer['message']} (HTTP $status, request_id $requestId)", $code, $requestId);
}

function listServices(string $productCode = ''): array
{
    return request('GET', '/api/service' . ($productCode === '' ? '' : '?product_code=' . rawurlencode($productCode)));
}

/** Store the sale with its ref_id before you call this, so that you can send the very same order again after a crash. */
function placeOrder(array $order): array
{
    $body = array_diff_key($order, ['user_id' => true, 'zone' => true]);
    $body['account_identifier'] = ['user_id' => $order['user_id'], 'zone' => $order['zone']];
    $body['signature'] = sign((string) getenv('TOPGATE_SECRET'), $order);
    return request('POST', '/api/order', $body);
}

/** Asks until the order is not `Process`. One that still is after the limit is not lost: ask again later, refund nobody yet. */
function waitForOrder(string $refId): array
{
    $giveUpAt = time() + ORDER_LIMIT_SECONDS;
    for ($waitMs = 500;; $waitMs = min($waitMs * 2, 5000)) {
        usleep($waitMs * 1000);
        $order = request('GET', '/api/order/status?ref_id=' . rawurlencode($refId));
        if ($order['status'] !== 'Process' || time() > $giveUpAt) {
            return $order;
        }
    }
}

/**
 * Is this delivery from Topgate, and fresh? Pass the values of the headers webhook-id, webhook-timestamp and
 * webhook-signature, and the raw body (`file_get_contents('php://input')`). While a secret is being rotated there are several
 * signatures, and one good one is enough. The same event can arrive twice: keep each webhook-id that you have handled, and
 * answer 200 to a known one without handling it again.
 */
function verifyWebhook(
    string $secret,
    string $id,
    string $timestamp,
    string $signatures,
    string $body,
    ?int $now = null,
): bool {
    if (!preg_match('/\A[0-9]{1,12}\z/', $timestamp) || abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
    if ($key === false || $key === '') {
        throw new TopgateError('A webhook secret is whsec_ and base64.');
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

function order(string $serviceCode, string $userId, string $zone, ?string $refId = null): int
{
    $refId ??= 'EXAMPLE-' . (int) (microtime(true) * 1000);
    $service = array_column(listServices(), null, 'service_code')[$serviceCode] ?? null;
    if ($service === null) {
        throw new TopgateError("There is no service $serviceCode.");
    }
    echo "{$service['service_name']}: {$service['price']}, {$service['status']}\n";
    $placed = placeOrder([
        'service_code' => $serviceCode,
        'ref_id' => $refId,
        'user_id' => $userId,
        'zone' => $zone,
        'max_price' => $service['price'],
    ]);
    echo "$refId is {$placed['order_id']}: {$placed['status']}\n";
    $ended = $placed['status'] === 'Process' ? waitForOrder($refId) : $placed;
    echo $ended['status'], ' ', $ended['serial_number'] ?? $ended['failure']['message'] ?? '', "\n";
    return $ended['status'] === 'Success' ? 0 : 1;
}

function checkVectors(string $folder): int
{
    $read = fn (string $name): array => json_decode(file_get_contents("$folder/$name"), true, flags: JSON_THROW_ON_ERROR);
    $signatures = $read('signature-vectors.json');
    $webhooks = $read('webhook-vectors.json');
    $wrong = [];
    foreach ($signatures as $vector) {
        if (sign($vector['secret'], $vector['order']) !== $vector['signature']) {
            $wrong[] = $vector['order']['ref_id'];
        }
    }
    foreach ($webhooks as $vector) {
        ['secret' => $secret, 'id' => $id, 'timestamp' => $timestamp, 'signature' => $signature] = $vector;
        if (verifyWebhook($secret, $id, $timestamp, $signature, $vector['body'], $vector['now']) !== $vector['valid']) {
            $wrong[] = $vector['name'];
        }
    }
    foreach ($wrong as $name) {
        echo "wrong: $name\n";
    }
    printf("%d signatures, %d webhooks, %d wrong\n", count($signatures), count($webhooks), count($wrong));
    return $wrong === [] ? 0 : 1;
}

function main(array $arguments): int
{
    $command = array_shift($arguments);
    if ($command === 'services' && count($arguments) <= 1) {
        foreach (listServices(...$arguments) as $service) {
            echo "{$service['service_code']}  {$service['price']}  {$service['status']}  {$service['service_name']}\n";
        }
        return 0;
    }
    if ($command === 'order' && in_array(count($arguments), [3, 4], true)) {
        return order(...$arguments);
    }
    if ($command === 'vectors' && count($arguments) === 1) {
        return checkVectors(...$arguments);
    }
    throw new TopgateError('Usage: services [PRODUCT] | order SERVICE USER_ID ZONE [REF_ID] | vectors FOLDER');
}

try {
    exit(main(array_slice($argv, 1)));
} catch (TopgateError $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
