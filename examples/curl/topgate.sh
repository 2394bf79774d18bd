#!/usr/bin/env bash
# Topgate with bash, curl, openssl and jq. Copy what you need.
#
#     export TOPGATE_URL=http://127.0.0.1:3000 TOPGATE_TOKEN=tg_test_… TOPGATE_SECRET=tgs_…
#     ./topgate.sh services MLBB
#     ./topgate.sh order MLBB-85 123450001 2001
#
# Neither the token nor a secret is ever an argument of a program, where every user of the machine could read it.
set -efu -o pipefail

BASE=${TOPGATE_URL:-http://127.0.0.1:3000}
TRIES=6
CALL_LIMIT_SECONDS=30
ORDER_LIMIT_SECONDS=120
TOLERANCE_SECONDS=300

hex() { od -An -v -tx1 | tr -d ' \n'; }

# hmac KEY_IN_HEX: HMAC-SHA256 of what comes in, in hex. Written out because `openssl dgst -hmac` takes the key as an argument.
hmac() {
  local key=$1 inner='' outer='' at digest
  if ((${#key} > 128)); then key=$(unhex "$key" | openssl dgst -sha256 -binary | hex); fi
  while ((${#key} < 128)); do key+=00; done
  for ((at = 0; at < 128; at += 2)); do
    printf -v inner '%s%02x' "$inner" $((16#${key:at:2} ^ 0x36))
    printf -v outer '%s%02x' "$outer" $((16#${key:at:2} ^ 0x5c))
  done
  digest=$({ unhex "$outer"; { unhex "$inner"; cat; } | openssl dgst -sha256 -binary; } | openssl dgst -sha256 -r)
  printf '%s' "${digest%% *}"
}

unhex() {
  local hex=$1 bytes='' at
  for ((at = 0; at < ${#hex}; at += 2)); do bytes+="\\x${hex:at:2}"; done
  printf '%b' "$bytes"
}

# sign SECRET SERVICE_CODE REF_ID USER_ID ZONE [MAX_PRICE]: the values joined by one line feed, without one at the end;
# HMAC-SHA256 with the secret as it was given; lower-case hex.
sign() {
  local key
  key=$(printf '%s' "$1" | hex)
  { printf '%s\n%s\n%s\n%s' "${@:2:4}"; if (($# > 5)); then printf '\n%s' "$6"; fi; } | hmac "$key"
}

# request METHOD PATH [BODY]: prints `data`. Sends the same bytes again after a lost answer, a 5xx or a 429. That is safe for
# everything in this file: reads change nothing, and an order with the same ref_id is never bought twice.
request() {
  local attempt status answer after wait=0 failure='' body=()
  if (($# > 2)); then body=(--header 'Content-Type: application/json' --data-binary "$3"); fi
  for ((attempt = 0; attempt < TRIES; attempt++)); do
    sleep "$wait"
    wait=$((1 << attempt))
    # The last line is the status and Retry-After, or why there is no whole answer.
    answer=$(curl --silent --max-time "$CALL_LIMIT_SECONDS" --request "$1" "$BASE$2" \
      --header @<(printf 'Authorization: Bearer %s\n' "${TOPGATE_TOKEN:-}") --header 'Accept: application/json' \
      ${body[@]+"${body[@]}"} --write-out '\n%{http_code} %header{retry-after}') || answer=$'\n'"000 curl error $?"
    read -r status after <<<"${answer##*$'\n'}"
    answer=${answer%$'\n'*}
    if [[ $status == 200 ]] && jq -ce .data <<<"$answer" 2>/dev/null; then return; fi
    failure=$(jq -er --arg status "$status" '"\(.error.code): \(.message) (HTTP \($status), request_id \(.request_id))"' \
      <<<"$answer" 2>/dev/null) ||
      failure="No answer (HTTP $status $after). An order may exist all the same: send it again with the same ref_id."
    if ((status >= 300 && status < 500 && status != 429)); then break; fi
    if [[ $after =~ ^[0-9]{1,4}$ ]] && ((after > wait)); then wait=$after; fi
  done
  printf '%s\n' "$failure" >&2
  return 1
}

uri() { jq -rn --arg value "$1" '$value | @uri'; }

# list_services [PRODUCT_CODE]
list_services() { request GET "/api/service${1:+?product_code=$(uri "$1")}"; }

# place_order SERVICE_CODE REF_ID USER_ID ZONE [MAX_PRICE]: ZONE is '' for a game without zones; the order is refused when the
# price is above MAX_PRICE. Store the sale with its REF_ID first, so that you can send the very same order again after a crash.
place_order() {
  local signature
  signature=$(sign "${TOPGATE_SECRET:-}" "$@")
  request POST /api/order "$(jq -cn --arg signature "$signature" '
    $ARGS.positional as [$service_code, $ref_id, $user_id, $zone, $max_price]
    | {$service_code, $ref_id, account_identifier: {$user_id, $zone}, $signature}
    | if $max_price then .max_price = ($max_price | tonumber) else . end' --args "$@")"
}

# wait_for_order REF_ID: asks until the order is not `Process`. One that still is after the limit is not lost: ask again later,
# refund nobody yet.
wait_for_order() {
  local order give_up_at=$((SECONDS + ORDER_LIMIT_SECONDS)) wait=1
  while true; do
    sleep "$wait"
    order=$(request GET "/api/order/status?ref_id=$(uri "$1")") || return
    if [[ $(jq -r .status <<<"$order") != Process ]] || ((SECONDS > give_up_at)); then break; fi
    if ((wait < 5)); then wait=$((wait + 1)); fi
  done
  printf '%s\n' "$order"
}

# verify_webhook SECRET ID TIMESTAMP SIGNATURES [NOW] <BODY: is this delivery from Topgate, and fresh? Pass the values of the
# headers webhook-id, webhook-timestamp and webhook-signature, and the raw body as input. While a secret is being rotated there
# are several signatures, and one good one is enough. The same event can arrive twice: keep each webhook-id that you have
# handled, and answer 200 to a known one without handling it again.
verify_webhook() {
  local key digest expected signature age
  [[ $3 =~ ^[1-9][0-9]{0,11}$ ]] || return 1
  age=$((${5:-$(date +%s)} - $3))
  ((age <= TOLERANCE_SECONDS && age >= -TOLERANCE_SECONDS)) || return 1
  key=$(printf '%s' "${1#whsec_}" | openssl base64 -d -A | hex)
  digest=$({ printf '%s.%s.' "$2" "$3"; cat; } | hmac "$key")
  expected=v1,$(unhex "$digest" | openssl base64 -A)
  for signature in $4; do
    if same "$expected" "$signature"; then return; fi
  done
  return 1
}

# The shell cannot compare in constant time. It compares digests with a salt that nobody knows, so its timing tells nothing.
same() {
  local salt
  salt=$(openssl rand -hex 32)
  [[ $(printf '%s' "$salt$1" | openssl dgst -sha256 -r) == "$(printf '%s' "$salt$2" | openssl dgst -sha256 -r)" ]]
}

# order SERVICE_CODE USER_ID ZONE [REF_ID]
order() {
  local ref_id=${4:-EXAMPLE-$(date +%s)-$RANDOM} services service price order
  services=$(list_services)
  service=$(jq -ce --arg code "$1" '.[] | select(.service_code == $code)' <<<"$services") || {
    echo "There is no service $1." >&2
    return 1
  }
  jq -r '"\(.service_name): \(.price), \(.status)"' <<<"$service"
  price=$(jq -r .price <<<"$service")
  order=$(place_order "$1" "$ref_id" "$2" "$3" "$price")
  jq -r '"\(.ref_id) is \(.order_id): \(.status)"' <<<"$order"
  if [[ $(jq -r .status <<<"$order") == Process ]]; then order=$(wait_for_order "$ref_id"); fi
  jq -r '"\(.status) \(.serial_number // .failure.message // "")"' <<<"$order"
  [[ $(jq -r .status <<<"$order") == Success ]]
}

# vectors FOLDER
vectors() {
  local signatures=0 webhooks=0 wrong=() name secret service ref_id user_id zone max_price id timestamp body signature now valid
  while next secret service ref_id user_id zone max_price signature; do
    signatures=$((signatures + 1))
    if [[ $(sign "$secret" "$service" "$ref_id" "$user_id" "$zone" ${max_price:+"$max_price"}) != "$signature" ]]; then
      wrong+=("$ref_id")
    fi
  done < <(jq -j '.[] | (.secret, (.order | .service_code, .ref_id, .user_id, .zone, .max_price // ""), .signature)
    | tostring + "\u0000"' "$1/signature-vectors.json")
  while next name secret id timestamp body signature now valid; do
    webhooks=$((webhooks + 1))
    if verify_webhook "$secret" "$id" "$timestamp" "$signature" "$now" < <(printf '%s' "$body"); then
      if [[ $valid == false ]]; then wrong+=("$name"); fi
    elif [[ $valid == true ]]; then wrong+=("$name"); fi
  done < <(jq -j '.[] | (.name, .secret, .id, .timestamp, .body, .signature, .now, .valid)
    | tostring + "\u0000"' "$1/webhook-vectors.json")
  if ((${#wrong[@]} > 0)); then printf 'wrong: %s\n' "${wrong[@]}"; fi
  echo "$signatures signatures, $webhooks webhooks, ${#wrong[@]} wrong"
  ((signatures > 0 && webhooks > 0 && ${#wrong[@]} == 0))
}

# next VARIABLE…: reads a text into each; a zero byte ends a text.
next() {
  local variable
  for variable in "$@"; do IFS= read -r -d '' "$variable" || return 1; done
}

case "${1:-} $#" in
  'services 1' | 'services 2')
    list_services "${2:-}" | jq -r '.[] | "\(.service_code)  \(.price)  \(.status)  \(.service_name)"'
    ;;
  'order 4' | 'order 5') order "${@:2}" ;;
  'vectors 2') vectors "$2" ;;
  *)
    echo 'Usage: services [PRODUCT] | order SERVICE USER_ID ZONE [REF_ID] | vectors FOLDER' >&2
    exit 1
    ;;
esac
