// Topgate with nothing but Go 1.19 or later. Copy what you need.
//
//	export TOPGATE_URL=http://127.0.0.1:3000 TOPGATE_TOKEN=tg_test_… TOPGATE_SECRET=tgs_…
//	go run topgate.go services MLBB
//	go run topgate.go order MLBB-85 123450001 2001
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	tries      = 6
	callLimit  = 30 * time.Second
	orderLimit = 2 * time.Minute
	tolerance  = 5 * time.Minute
)

// The token must not follow a redirect to somebody else.
var client = &http.Client{
	Timeout:       callLimit,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Error is a refusal, or no answer at all (an empty Code). Code is for programs; quote RequestID to the operator.
type Error struct {
	Status                   int
	Code, Message, RequestID string
}

func (e *Error) Error() string {
	if e.Code == "" {
		return "no answer: " + e.Message + "; an order may exist all the same: send it again with the same ref_id"
	}
	return fmt.Sprintf("%s: %s (HTTP %d, request_id %s)", e.Code, e.Message, e.Status, e.RequestID)
}

type Service struct {
	ServiceCode string `json:"service_code"`
	ServiceName string `json:"service_name"`
	Price       int64  `json:"price"`
	Status      string `json:"status"`
}

// NewOrder is what you order. Zone is empty for a game without zones. With a MaxPrice (else nil) the order is refused when the
// price is higher.
type NewOrder struct {
	ServiceCode string `json:"service_code"`
	RefID       string `json:"ref_id"`
	UserID      string `json:"user_id"`
	Zone        string `json:"zone"`
	MaxPrice    *int64 `json:"max_price"`
}

type Order struct {
	RefID        string  `json:"ref_id"`
	OrderID      string  `json:"order_id"`
	Price        int64   `json:"price"`
	Status       string  `json:"status"`
	SerialNumber *string `json:"serial_number"`
	Failure      *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"failure"`
}

// Sign joins the values by one line feed, without one at the end, and gives HMAC-SHA256 with the secret as it was given, in
// lower-case hex.
func Sign(secret string, order NewOrder) string {
	values := []string{order.ServiceCode, order.RefID, order.UserID, order.Zone}
	if order.MaxPrice != nil {
		values = append(values, strconv.FormatInt(*order.MaxPrice, 10))
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.Join(values, "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}

// Request sends the same bytes again after a lost answer, a 5xx or a 429. That is safe for everything in this file: reads
// change nothing, and an order with the same ref_id is never bought twice. Any other refusal is returned at once.
func Request(method, path string, body, data any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	var failure *Error
	var wait time.Duration
	for attempt := 0; attempt < tries; attempt++ {
		time.Sleep(wait)
		wait = time.Second << attempt
		var retryAfter time.Duration
		if retryAfter, failure = send(method, path, text, data); failure == nil {
			return nil
		}
		if failure.Status >= 300 && failure.Status < 500 && failure.Status != http.StatusTooManyRequests {
			break
		}
		if retryAfter > wait {
			wait = retryAfter
		}
	}
	return failure
}

func send(method, path string, text []byte, data any) (time.Duration, *Error) {
	base := os.Getenv("TOPGATE_URL")
	if base == "" {
		base = "http://127.0.0.1:3000"
	}
	request, err := http.NewRequest(method, base+path, bytes.NewReader(text))
	if err != nil {
		return 0, &Error{Message: err.Error()}
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOPGATE_TOKEN"))
	request.Header.Set("Accept", "application/json")
	if text != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, &Error{Message: err.Error()}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, &Error{Message: err.Error()}
	}
	var answer struct {
		Message   string          `json:"message"`
		Data      json.RawMessage `json:"data"`
		RequestID string          `json:"request_id"`
		Error     struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	status := response.StatusCode
	err = json.Unmarshal(content, &answer)
	if err == nil && status == http.StatusOK {
		if err = json.Unmarshal(answer.Data, data); err == nil {
			return 0, nil
		}
	}
	// Something between us and the service may have answered instead, and not in JSON.
	if err != nil || answer.Error.Code == "" {
		return 0, &Error{Status: status, Message: fmt.Sprintf("HTTP %d, not from Topgate", status)}
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return time.Duration(seconds) * time.Second, &Error{status, answer.Error.Code, answer.Message, answer.RequestID}
}

func ListServices(productCode string) (services []Service, err error) {
	path := "/api/service"
	if productCode != "" {
		path += "?product_code=" + url.QueryEscape(productCode)
	}
	err = Request("GET", path, nil, &services)
	return services, err
}

// PlaceOrder buys. Store the sale with its RefID before you call this, so that you can send the very same order again after a
// crash.
func PlaceOrder(order NewOrder) (placed Order, err error) {
	body := map[string]any{
		"service_code":       order.ServiceCode,
		"ref_id":             order.RefID,
		"account_identifier": map[string]string{"user_id": order.UserID, "zone": order.Zone},
		"signature":          Sign(os.Getenv("TOPGATE_SECRET"), order),
	}
	if order.MaxPrice != nil {
		body["max_price"] = *order.MaxPrice
	}
	err = Request("POST", "/api/order", body, &placed)
	return placed, err
}

// WaitForOrder asks until the order is not Process. One that still is after the limit is not lost: ask again later, refund
// nobody yet.
func WaitForOrder(refID string) (order Order, err error) {
	giveUpAt := time.Now().Add(orderLimit)
	for wait := 500 * time.Millisecond; ; wait *= 2 {
		if wait > 5*time.Second {
			wait = 5 * time.Second
		}
		time.Sleep(wait)
		err = Request("GET", "/api/order/status?ref_id="+url.QueryEscape(refID), nil, &order)
		if err != nil || order.Status != "Process" || time.Now().After(giveUpAt) {
			return order, err
		}
	}
}

// VerifyWebhook tells whether a delivery is from Topgate, and fresh. Pass the values of the headers webhook-id,
// webhook-timestamp and webhook-signature, and the raw body, before any JSON parser. While a secret is being rotated there are
// several signatures, and one good one is enough. The same event can arrive twice: keep each webhook-id that you have handled,
// and answer 200 to a known one without handling it again.
func VerifyWebhook(secret, id, timestamp, signatures string, body []byte, now time.Time) bool {
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(sent, 0)) > tolerance || time.Unix(sent, 0).Sub(now) > tolerance {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(signature), expected) {
			return true
		}
	}
	return false
}

func order(values []string) error {
	refID := fmt.Sprintf("EXAMPLE-%d", time.Now().UnixMilli())
	if len(values) == 4 {
		refID = values[3]
	}
	services, err := ListServices("")
	if err != nil {
		return err
	}
	for _, service := range services {
		if service.ServiceCode != values[0] {
			continue
		}
		fmt.Printf("%s: %d, %s\n", service.ServiceName, service.Price, service.Status)
		return buy(NewOrder{values[0], refID, values[1], values[2], &service.Price})
	}
	return fmt.Errorf("there is no service %s", values[0])
}

func buy(order NewOrder) error {
	placed, err := PlaceOrder(order)
	if err != nil {
		return err
	}
	fmt.Printf("%s is %s: %s\n", order.RefID, placed.OrderID, placed.Status)
	if placed.Status == "Process" {
		if placed, err = WaitForOrder(order.RefID); err != nil {
			return err
		}
	}
	detail := ""
	if placed.SerialNumber != nil {
		detail = *placed.SerialNumber
	} else if placed.Failure != nil {
		detail = placed.Failure.Message
	}
	fmt.Println(placed.Status, detail)
	if placed.Status != "Success" {
		return errors.New("the order was not delivered")
	}
	return nil
}

func checkVectors(folder string) error {
	var signatures []struct {
		Secret, Signature string
		Order             NewOrder
	}
	var webhooks []struct {
		Name, Secret, ID, Timestamp, Body, Signature string
		Now                                          int64
		Valid                                        bool
	}
	for name, vectors := range map[string]any{"signature-vectors.json": &signatures, "webhook-vectors.json": &webhooks} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		if err := json.Unmarshal(content, vectors); err != nil {
			return err
		}
	}
	wrong := 0
	for _, vector := range signatures {
		if Sign(vector.Secret, vector.Order) != vector.Signature {
			fmt.Println("wrong:", vector.Order.RefID)
			wrong++
		}
	}
	for _, v := range webhooks {
		if VerifyWebhook(v.Secret, v.ID, v.Timestamp, v.Signature, []byte(v.Body), time.Unix(v.Now, 0)) != v.Valid {
			fmt.Println("wrong:", v.Name)
			wrong++
		}
	}
	fmt.Printf("%d signatures, %d webhooks, %d wrong\n", len(signatures), len(webhooks), wrong)
	if wrong > 0 {
		return errors.New("this implementation must not be used")
	}
	return nil
}

func run(arguments []string) error {
	switch count := len(arguments); {
	case count >= 1 && count <= 2 && arguments[0] == "services":
		services, err := ListServices(strings.Join(arguments[1:], ""))
		for _, service := range services {
			fmt.Printf("%s  %d  %s  %s\n", service.ServiceCode, service.Price, service.Status, service.ServiceName)
		}
		return err
	case count >= 4 && count <= 5 && arguments[0] == "order":
		return order(arguments[1:])
	case count == 2 && arguments[0] == "vectors":
		return checkVectors(arguments[1])
	}
	return errors.New("usage: services [PRODUCT] | order SERVICE USER_ID ZONE [REF_ID] | vectors FOLDER")
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
