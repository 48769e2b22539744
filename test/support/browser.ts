/** The data that a browser returns to the client: the parameters of a redirect, or of a posted form. */
export interface Callback {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Follows a sign-in from its authorization URL with redirects, cookies and forms until it leaves the provider's origin.
 * Fills `answers` into each page of the provider.
 * @param cookies those of the provider, for a browser that comes back
 */
export async function browse(
  authorizationUrl: string,
  answers: Record<string, string>,
  cookies = new Map<string, string>(),
): Promise<Callback> {
  const home = new URL(authorizationUrl).origin;
  let url = new URL(authorizationUrl);
  let form: URLSearchParams | undefined;
  for (let hops = 0; hops < 12; hops += 1) {
    const response: Response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      body: form,
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      redirect: 'manual',
    });
    keep(cookies, response.headers.getSetCookie());
    form = undefined;
    const location = response.headers.get('location');
    const page = await response.text();
    if (location !== null) {
      url = new URL(location, url);
      if (url.origin !== home) return callback('GET', url, url.searchParams);
      continue;
    }
    const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
    if (action === undefined)
      throw new Error(`${response.status} ${url.pathname} shows no form: ${page.slice(0, 400)}`);
    const inputs = new URLSearchParams();
    for (const [, name = '', value = ''] of page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)) {
      inputs.set(name, value);
    }
    url = new URL(action, url);
    if (url.origin !== home) return callback('POST', url, inputs);
    form = new URLSearchParams({ ...Object.fromEntries(inputs), ...answers });
  }
  throw new Error('the provider never came to an end');
}

function keep(cookies: Map<string, string>, headers: string[]): void {
  for (const header of headers) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
}

function callback(method: Callback['method'], url: URL, parameters: URLSearchParams): Callback {
  return { method, url: url.origin + url.pathname, parameters: Object.fromEntries(parameters) };
}
