// Topgate with nothing but .NET 8 or later. Copy what you need.
//
//     export TOPGATE_URL=http://127.0.0.1:3000 TOPGATE_TOKEN=tg_test_… TOPGATE_SECRET=tgs_…
//     dotnet run topgate.cs -- services MLBB
//     dotnet run topgate.cs -- order MLBB-85 123450001 2001
//
// `dotnet run` takes a single file from .NET 10 on. Before that, make a project with `dotnet new console` and let this file be
// its Program.cs.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Threading.Tasks;

try
{
    return await Example.Run(args);
}
catch (TopgateException error)
{
    Console.Error.WriteLine(error.Message);
    return 1;
}

/// <summary>A refusal, or no answer at all (no code). `Code` is for programs; quote `RequestId` to the operator.</summary>
public sealed class TopgateException(string message, string? code = null, string? requestId = null) : Exception(message)
{
    public string? Code { get; } = code;
    public string? RequestId { get; } = requestId;
}

/// <summary>
/// The zone is empty for a game without zones. With a MaxPrice the order is refused when the price is higher.
/// </summary>
public sealed record NewOrder(string ServiceCode, string RefId, string UserId, string Zone, long? MaxPrice);

public static class Topgate
{
    private const int Tries = 6;
    private const int ToleranceSeconds = 300;
    private static readonly TimeSpan OrderLimit = TimeSpan.FromMinutes(2);
    private static readonly string Url = Setting("TOPGATE_URL") ?? "http://127.0.0.1:3000";

    /// <summary>The token must not follow a redirect to somebody else.</summary>
    private static readonly HttpClient Client = new(new SocketsHttpHandler { AllowAutoRedirect = false })
    {
        Timeout = TimeSpan.FromSeconds(30),
    };

    private static string? Setting(string name) => Environment.GetEnvironmentVariable(name);

    /// <summary>
    /// The values joined by one line feed, without one at the end; HMAC-SHA256 with the secret as it was given; lower-case hex.
    /// </summary>
    public static string Sign(string secret, NewOrder order)
    {
        var values = new List<string> { order.ServiceCode, order.RefId, order.UserId, order.Zone };
        if (order.MaxPrice is long maxPrice) values.Add(maxPrice.ToString(CultureInfo.InvariantCulture));
        var message = Encoding.UTF8.GetBytes(string.Join('\n', values));
        return Convert.ToHexString(HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), message)).ToLowerInvariant();
    }

    /// <summary>
    /// Sends the same bytes again after a lost answer, a 5xx or a 429. That is safe for everything in this file: reads change
    /// nothing, and an order with the same ref_id is never bought twice. Any other refusal is thrown at once.
    /// </summary>
    public static async Task<JsonNode> Request(HttpMethod method, string path, JsonObject? body = null)
    {
        var json = body?.ToJsonString();
        var failure = NoAnswer("not asked");
        var wait = TimeSpan.Zero;
        for (var attempt = 0; attempt < Tries; attempt++)
        {
            await Task.Delay(wait);
            wait = TimeSpan.FromSeconds(1 << attempt);
            try
            {
                using var request = new HttpRequestMessage(method, Url + path);
                request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", Setting("TOPGATE_TOKEN"));
                request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("application/json"));
                if (json is not null) request.Content = new StringContent(json, Encoding.UTF8, "application/json");
                using var response = await Client.SendAsync(request);
                var status = (int)response.StatusCode;
                var answer = Parse(await response.Content.ReadAsStringAsync());
                if (status == 200 && answer?["data"] is JsonNode data) return data;
                failure = Refusal(status, answer);
                if (status >= 300 && status < 500 && status != 429) break;
                if (response.Headers.RetryAfter?.Delta is TimeSpan after && after > wait) wait = after;
            }
            catch (Exception error) when (error is HttpRequestException or OperationCanceledException or IOException)
            {
                failure = NoAnswer(error.Message);
            }
        }
        throw failure;
    }

    private static JsonObject? Parse(string text)
    {
        try
        {
            return JsonNode.Parse(text) as JsonObject;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>What the service said; something between us and the service may have answered instead, and not in JSON.</summary>
    private static TopgateException Refusal(int status, JsonObject? answer)
    {
        if (answer?["error"] is not JsonObject error || error["code"] is not JsonValue code)
            return NoAnswer($"HTTP {status}, not from Topgate");
        var requestId = answer["request_id"]?.ToString();
        var message = $"{code}: {answer["message"]} (HTTP {status}, request_id {requestId})";
        return new TopgateException(message, code.ToString(), requestId);
    }

    private static TopgateException NoAnswer(string reason) =>
        new($"No answer: {reason}. An order may exist all the same: send it again with the same ref_id.");

    public static async Task<List<JsonNode>> ListServices(string productCode = "")
    {
        var query = productCode == "" ? "" : "?product_code=" + Uri.EscapeDataString(productCode);
        return (await Request(HttpMethod.Get, "/api/service" + query)).AsArray().OfType<JsonNode>().ToList();
    }

    /// <summary>
    /// Store the sale with its RefId before you call this, so that you can send the very same order again after a crash.
    /// </summary>
    public static Task<JsonNode> PlaceOrder(NewOrder order)
    {
        var body = new JsonObject
        {
            ["service_code"] = order.ServiceCode,
            ["ref_id"] = order.RefId,
            ["account_identifier"] = new JsonObject { ["user_id"] = order.UserId, ["zone"] = order.Zone },
            ["signature"] = Sign(Setting("TOPGATE_SECRET") ?? "", order),
        };
        if (order.MaxPrice is long maxPrice) body["max_price"] = maxPrice;
        return Request(HttpMethod.Post, "/api/order", body);
    }

    /// <summary>
    /// Asks until the order is not `Process`. One that still is after the limit is not lost: ask again later, refund nobody yet.
    /// </summary>
    public static async Task<JsonNode> WaitForOrder(string refId)
    {
        var giveUpAt = DateTimeOffset.UtcNow + OrderLimit;
        for (var waitMs = 500; ; waitMs = Math.Min(waitMs * 2, 5_000))
        {
            await Task.Delay(waitMs);
            var order = await Request(HttpMethod.Get, "/api/order/status?ref_id=" + Uri.EscapeDataString(refId));
            if (order["status"]!.ToString() != "Process" || DateTimeOffset.UtcNow > giveUpAt) return order;
        }
    }

    /// <summary>
    /// Is this delivery from Topgate, and fresh? Pass the values of the headers webhook-id, webhook-timestamp and
    /// webhook-signature, and the raw body, before any JSON parser. While a secret is being rotated there are several
    /// signatures, and one good one is enough. The same event can arrive twice: keep each webhook-id that you have handled, and
    /// answer 200 to a known one without handling it again.
    /// </summary>
    public static bool VerifyWebhook(
        string secret, string id, string timestamp, string signatures, byte[] body, DateTimeOffset now)
    {
        if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var sent)) return false;
        if (Math.Abs(now.ToUnixTimeSeconds() - sent) > ToleranceSeconds) return false;
        var key = Convert.FromBase64String(secret.StartsWith("whsec_", StringComparison.Ordinal) ? secret[6..] : secret);
        var message = Encoding.UTF8.GetBytes($"{id}.{timestamp}.").Concat(body).ToArray();
        var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(HMACSHA256.HashData(key, message)));
        return signatures.Split(' ')
            .Any(signature => CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(signature)));
    }
}

internal static class Example
{
    public static async Task<int> Run(string[] args) => args switch
    {
        ["services"] => await Services(""),
        ["services", var product] => await Services(product),
        ["order", var service, var userId, var zone] =>
            await Order(service, userId, zone, $"EXAMPLE-{DateTimeOffset.UtcNow.ToUnixTimeMilliseconds()}"),
        ["order", var service, var userId, var zone, var refId] => await Order(service, userId, zone, refId),
        ["vectors", var folder] => CheckVectors(folder),
        _ => throw new TopgateException("Usage: services [PRODUCT] | order SERVICE USER_ID ZONE [REF_ID] | vectors FOLDER"),
    };

    private static async Task<int> Services(string productCode)
    {
        foreach (var service in await Topgate.ListServices(productCode))
            Console.WriteLine($"{service["service_code"]}  {service["price"]}  {service["status"]}  {service["service_name"]}");
        return 0;
    }

    private static async Task<int> Order(string serviceCode, string userId, string zone, string refId)
    {
        var services = await Topgate.ListServices();
        var service = services.FirstOrDefault(candidate => candidate["service_code"]!.ToString() == serviceCode)
            ?? throw new TopgateException($"There is no service {serviceCode}.");
        Console.WriteLine($"{service["service_name"]}: {service["price"]}, {service["status"]}");
        var price = service["price"]!.GetValue<long>();
        var order = await Topgate.PlaceOrder(new NewOrder(serviceCode, refId, userId, zone, price));
        Console.WriteLine($"{refId} is {order["order_id"]}: {order["status"]}");
        if (order["status"]!.ToString() == "Process") order = await Topgate.WaitForOrder(refId);
        var detail = order["serial_number"] ?? order["failure"]?["message"];
        Console.WriteLine($"{order["status"]} {detail}");
        return order["status"]!.ToString() == "Success" ? 0 : 1;
    }

    private static int CheckVectors(string folder)
    {
        var signatures = Read(folder, "signature-vectors.json");
        var webhooks = Read(folder, "webhook-vectors.json");
        var wrong = new List<string>();
        foreach (var vector in signatures)
        {
            var fields = vector["order"]!;
            var refId = Text(fields, "ref_id");
            var zone = Text(fields, "zone");
            var maxPrice = fields["max_price"]?.GetValue<long>();
            var order = new NewOrder(Text(fields, "service_code"), refId, Text(fields, "user_id"), zone, maxPrice);
            if (Topgate.Sign(Text(vector, "secret"), order) != Text(vector, "signature")) wrong.Add(refId);
        }
        foreach (var vector in webhooks)
        {
            var body = Encoding.UTF8.GetBytes(Text(vector, "body"));
            var now = DateTimeOffset.FromUnixTimeSeconds(vector["now"]!.GetValue<long>());
            var valid = Topgate.VerifyWebhook(
                Text(vector, "secret"), Text(vector, "id"), Text(vector, "timestamp"), Text(vector, "signature"), body, now);
            if (valid != vector["valid"]!.GetValue<bool>()) wrong.Add(Text(vector, "name"));
        }
        foreach (var name in wrong) Console.WriteLine($"wrong: {name}");
        Console.WriteLine($"{signatures.Count} signatures, {webhooks.Count} webhooks, {wrong.Count} wrong");
        return wrong.Count == 0 ? 0 : 1;
    }

    private static List<JsonNode> Read(string folder, string name) =>
        JsonNode.Parse(File.ReadAllText(Path.Combine(folder, name)))!.AsArray().OfType<JsonNode>().ToList();

    private static string Text(JsonNode node, string name) => node[name]!.GetValue<string>();
}
