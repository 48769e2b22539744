import { randomToken } from '../../../../platform/crypto/index.js';

/** The fields of a provider's form that are submitted again. */
export interface ResponseForm {
  readonly SAMLResponse: string;
  readonly RelayState: string;
}

export interface RepeatPage {
  readonly html: string;
  readonly policy: string;
}

/** The field that marks a form that was submitted by this page. */
export const REPEATED = 'repeated';

/**
 * Returns a page that submits the form of a provider again. Browsers do not send the cookie with a form that another
 * site submits, but they send it with a form of our own page.
 */
export function repeatPage(address: string, form: ResponseForm): RepeatPage {
  const nonce = randomToken();
  const fields = Object.entries({ ...form, [REPEATED]: '1' }).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
  );
  return {
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Signing in</title><meta name="robots" content="noindex"></head>
<body>
<form method="post" action="${escaped(address)}">
${fields.join('\n')}
<noscript><p>Your company's provider has signed you in.</p><button>Continue</button></noscript>
</form>
<script nonce="${nonce}">document.forms[0].submit();</script>
</body>
</html>
`,
    policy: `default-src 'none';script-src 'nonce-${nonce}';form-action 'self';frame-ancestors 'none';base-uri 'none'`,
  };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
