// Java 17. body is not parsed yet; header finds names in any case, as request::getHeader of a servlet does.
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Verify {
  /** Verifies a webhook of an alert destination. The secret is the text that was typed. */
  public static boolean isGenuine(byte[] body, UnaryOperator<String> header, String secret, Duration tolerance) {
    String timestamp = textOf(header, "X-Service-Timestamp");
    byte[] hmac = hmac(secret.getBytes(StandardCharsets.UTF_8), timestamp + ".", body);
    String expected = "v1=" + HexFormat.of().formatHex(hmac);
    return isFresh(timestamp, tolerance) && isOneOf(textOf(header, "X-Service-Signature").split(","), expected);
  }

  /** Verifies a webhook of a channel, by its signing secret (whsec_…). */
  public static boolean isGenuineOfChannel(
      byte[] body, UnaryOperator<String> header, String secret, Duration tolerance) {
    String timestamp = textOf(header, "webhook-timestamp");
    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
    byte[] hmac = hmac(key, textOf(header, "webhook-id") + "." + timestamp + ".", body);
    String expected = "v1," + Base64.getEncoder().encodeToString(hmac);
    return isFresh(timestamp, tolerance) && isOneOf(textOf(header, "webhook-signature").split(" "), expected);
  }

  private static String textOf(UnaryOperator<String> header, String name) {
    String value = header.apply(name);
    return value == null ? "" : value;
  }

  private static byte[] hmac(byte[] key, String before, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(before.getBytes(StandardCharsets.UTF_8));
      return mac.doFinal(body);
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  private static boolean isFresh(String timestamp, Duration tolerance) {
    if (!timestamp.matches("[0-9]{1,12}")) return false;
    long age = Instant.now().getEpochSecond() - Long.parseLong(timestamp);
    return Math.abs(age) <= tolerance.toSeconds();
  }

  private static boolean isOneOf(String[] given, String expected) {
    byte[] wanted = expected.getBytes(StandardCharsets.UTF_8);
    for (String one : given) {
      if (MessageDigest.isEqual(one.trim().getBytes(StandardCharsets.UTF_8), wanted)) return true;
    }
    return false;
  }
}
