import type { FindingCode, Verdict } from './browser/signature-check.js';
import type { Language } from './pages.ts';

/** What the signature tester says. `{field}` is replaced in the page by the field concerned. */
export interface TesterWords {
  title: string;
  private: string;
  request: string;
  secret: string;
  ownString: string;
  ownStringHint: string;
  ownSignature: string;
  ownSignatureHint: string;
  result: string;
  stringToSign: string;
  expected: string;
  received: string;
  difference: string;
  place: string;
  expectedLine: string;
  ownLine: string;
  ends: string;
  findings: string;
  verdicts: Record<Verdict, string>;
  codes: Record<FindingCode, string>;
}

const en: TesterWords = {
  title: 'Signature tester',
  private: 'It works in this page alone: nothing you paste is sent anywhere. Use the secret of a test token all the same.',
  request: 'Request (the JSON body, or the whole command around it)',
  secret: 'Signing secret',
  ownString: 'Your string to sign (optional)',
  ownStringHint: 'Paste what your program signs, to see the first place where it differs.',
  ownSignature: 'Your signature (optional)',
  ownSignatureHint: 'Left empty, the one in the request counts.',
  result: 'Result',
  stringToSign: 'String to sign',
  expected: 'Expected signature',
  received: 'Your signature',
  difference: 'First difference',
  place: 'Line {line}, character {column}',
  expectedLine: 'Should be',
  ownLine: 'Yours is',
  ends: 'end of the string',
  findings: 'What stands out',
  verdicts: {
    incomplete: 'Paste a request and a secret.',
    no_crypto:
      'This browser computes signatures only on https and on localhost. The string to sign below is right; for the signature, open this page there, or ask POST /api/reference/signature.',
    no_signature: 'This request is not signed yet. Put the expected signature into the field "signature".',
    matches: 'The signature is right.',
    differs: 'The signature is wrong.',
  },
  codes: {
    not_json: 'There is no JSON object in what you pasted. Look for a missing quote, a comma too many, or a cut-off end.',
    field_missing: '{field} is missing. The request would be refused with invalid_request.',
    zone_missing: '{field} is missing. A game without zones needs an empty text: "zone": "".',
    not_text: '{field} is not a text. Put it in quotes, also when it has digits only.',
    control_character: '{field} holds a control character, such as a line feed or a tab. It would be refused.',
    spaces_around: '{field} begins or ends with a space. It counts, both in the request and in the signature.',
    not_composed:
      '{field} has a letter made of two characters (a base and an accent). Sign exactly the bytes you send, without normalising only one of them.',
    unknown_field: '{field} is not a field of an order. The request would be refused with invalid_request.',
    max_price_not_number: 'max_price is not a number. Write it without quotes: 25000, not "25000".',
    max_price_not_whole: 'max_price must be a whole number from zero up.',
    max_price_written_otherwise:
      'max_price is signed in plain decimal, however the JSON writes it: 25000.0 and 2.5e4 are signed as 25000.',
    secret_spaces: 'The secret has spaces or a line feed around it. They are left out here; see that your program does so too.',
    secret_is_token: 'This is an access token. The key is the signing secret, which begins with tgs_.',
    secret_is_webhook:
      'This is the secret of a webhook endpoint. Orders are signed with the signing secret, which begins with tgs_.',
    secret_without_prefix: 'A signing secret begins with tgs_, and the prefix belongs to the key.',
    signature_upper_case: 'Upper-case hex is accepted. Lower case is what is documented.',
    signature_not_hex: 'A signature is 64 hex digits. This one is not; it may be cut off, or have something around it.',
    signature_base64: 'This looks like base64. Encode the digest as hex: 64 digits.',
    trailing_newline:
      'A line feed at the end was signed too. There is none after the last value (echo adds one; printf does not).',
    windows_newlines: 'The values were joined by \\r\\n. Join them by \\n alone.',
    literal_newlines:
      'The two characters \\ and n were signed instead of a line feed. In many languages "\\n" is a line feed only in double quotes.',
    no_separators: 'The values were joined without line feeds between them.',
    zone_line_missing: 'The empty zone was left out. It keeps its line: the line feed before it stays.',
    max_price_left_out: 'max_price is in the request, but was not signed. It is the fifth line.',
    max_price_decimals: 'max_price was signed with decimals. Sign the whole number.',
    other_order: 'The values were signed in another order. It is service_code, ref_id, user_id, zone, max_price.',
    key_with_newline: 'The key ended in a line feed, as when a secret is read from a file. Cut it off.',
    key_with_spaces: 'The spaces around the secret went into the key. Cut them off.',
    key_without_prefix: 'The key was the secret without tgs_. The prefix belongs to the key.',
    key_decoded: 'The secret was base64-decoded first. Use it as it is, as UTF-8 bytes.',
    key_and_message_swapped: 'Key and message are swapped: the secret is the key.',
    signature_of_own_string: 'Your signature fits your string. So only the string is wrong: see the first difference.',
    wrong_key: 'Your string is right, so the key is another one, or the function is not HMAC-SHA256.',
    no_known_mistake:
      'None of the usual mistakes makes this signature. Most often another secret was used, or other values were signed than sent.',
  },
};

const id: TesterWords = {
  title: 'Penguji tanda tangan',
  private:
    'Semuanya berjalan di halaman ini saja: yang Anda tempel tidak dikirim ke mana pun. Meski begitu, pakailah secret dari token tes.',
  request: 'Request (body JSON, atau seluruh perintahnya)',
  secret: 'Signing secret',
  ownString: 'String to sign Anda (opsional)',
  ownStringHint: 'Tempel string yang ditandatangani program Anda untuk melihat di mana letak perbedaan pertamanya.',
  ownSignature: 'Tanda tangan Anda (opsional)',
  ownSignatureHint: 'Kalau kosong, yang dipakai adalah yang ada di request.',
  result: 'Hasil',
  stringToSign: 'String to sign',
  expected: 'Tanda tangan yang benar',
  received: 'Tanda tangan Anda',
  difference: 'Perbedaan pertama',
  place: 'Baris {line}, karakter {column}',
  expectedLine: 'Seharusnya',
  ownLine: 'Punya Anda',
  ends: 'akhir string',
  findings: 'Yang perlu diperhatikan',
  verdicts: {
    incomplete: 'Tempel request dan secret.',
    no_crypto:
      'Browser ini hanya menghitung tanda tangan di https dan di localhost. String to sign di bawah sudah benar; untuk tanda tangannya, buka halaman ini di sana, atau tanyakan ke POST /api/reference/signature.',
    no_signature: 'Request ini belum ditandatangani. Isikan tanda tangan yang benar ke field "signature".',
    matches: 'Tanda tangannya benar.',
    differs: 'Tanda tangannya salah.',
  },
  codes: {
    not_json:
      'Tidak ada objek JSON di dalam teks ini. Periksa tanda kutip yang kurang, koma yang berlebih, atau bagian akhir yang terpotong.',
    field_missing: '{field} tidak ada. Request akan ditolak dengan invalid_request.',
    zone_missing: '{field} tidak ada. Game tanpa zone memerlukan teks kosong: "zone": "".',
    not_text: '{field} bukan teks. Beri tanda kutip, walaupun isinya angka saja.',
    control_character: '{field} berisi karakter kontrol, misalnya line feed atau tab. Request akan ditolak.',
    spaces_around: '{field} diawali atau diakhiri spasi. Spasi ikut dihitung, di request maupun di tanda tangan.',
    not_composed:
      '{field} memuat huruf yang terdiri dari dua karakter (huruf dasar dan aksen). Tandatangani persis byte yang dikirim; jangan menormalkan salah satunya saja.',
    unknown_field: '{field} bukan field order. Request akan ditolak dengan invalid_request.',
    max_price_not_number: 'max_price bukan angka. Tulis tanpa tanda kutip: 25000, bukan "25000".',
    max_price_not_whole: 'max_price harus bilangan bulat mulai dari nol.',
    max_price_written_otherwise:
      'max_price ditandatangani sebagai desimal biasa, bagaimanapun penulisannya di JSON: 25000.0 dan 2.5e4 ditandatangani sebagai 25000.',
    secret_spaces: 'Ada spasi atau line feed di sekitar secret. Di sini diabaikan; pastikan program Anda juga membuangnya.',
    secret_is_token: 'Ini access token. Kuncinya adalah signing secret, yang diawali tgs_.',
    secret_is_webhook: 'Ini secret milik endpoint webhook. Order ditandatangani dengan signing secret, yang diawali tgs_.',
    secret_without_prefix: 'Signing secret diawali tgs_, dan awalan itu bagian dari kunci.',
    signature_upper_case: 'Hex huruf besar diterima. Yang didokumentasikan adalah huruf kecil.',
    signature_not_hex:
      'Tanda tangan terdiri dari 64 digit hex. Yang ini bukan; mungkin terpotong, atau ada karakter lain di sekitarnya.',
    signature_base64: 'Ini tampaknya base64. Tulis digest-nya sebagai hex: 64 digit.',
    trailing_newline:
      'Line feed di akhir ikut ditandatangani. Setelah nilai terakhir tidak ada line feed (echo menambahkannya; printf tidak).',
    windows_newlines: 'Nilai-nilainya digabung dengan \\r\\n. Gabungkan dengan \\n saja.',
    literal_newlines:
      'Yang ditandatangani adalah dua karakter \\ dan n, bukan line feed. Di banyak bahasa, "\\n" baru menjadi line feed di dalam kutip ganda.',
    no_separators: 'Nilai-nilainya digabung tanpa line feed di antaranya.',
    zone_line_missing: 'Zone yang kosong terlewat. Barisnya tetap ada: line feed sebelumnya tidak hilang.',
    max_price_left_out: 'max_price ada di request, tetapi tidak ikut ditandatangani. Letaknya di baris kelima.',
    max_price_decimals: 'max_price ditandatangani dengan angka desimal. Tandatangani bilangan bulatnya.',
    other_order: 'Urutan nilainya berbeda. Urutannya: service_code, ref_id, user_id, zone, max_price.',
    key_with_newline: 'Kuncinya diakhiri line feed, seperti ketika secret dibaca dari file. Buang line feed itu.',
    key_with_spaces: 'Spasi di sekitar secret ikut menjadi kunci. Buang spasinya.',
    key_without_prefix: 'Kuncinya adalah secret tanpa tgs_. Awalan itu bagian dari kunci.',
    key_decoded: 'Secret didekode dulu dari base64. Pakai apa adanya, sebagai byte UTF-8.',
    key_and_message_swapped: 'Kunci dan pesan tertukar: secret adalah kuncinya.',
    signature_of_own_string:
      'Tanda tangan Anda cocok dengan string Anda. Jadi hanya string-nya yang salah: lihat perbedaan pertama.',
    wrong_key: 'String Anda benar, jadi kuncinya berbeda, atau fungsinya bukan HMAC-SHA256.',
    no_known_mistake:
      'Tidak ada kesalahan umum yang menghasilkan tanda tangan ini. Biasanya secret-nya berbeda, atau nilai yang ditandatangani tidak sama dengan yang dikirim.',
  },
};

export const TESTER_WORDS: Record<Language, TesterWords> = { en, id };
