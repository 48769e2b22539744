import type { CDPSession, Page } from 'playwright-core';
import { launchChromium, servePage } from './chromium.js';

/** A page of the front end's origin in a real browser, with a built-in authenticator that verifies its user. */
export interface PasskeyBrowser {
  /** `http://localhost:<port>`, for WEBAUTHN_ORIGINS. */
  readonly origin: string;
  create(options: object): Promise<object>;
  get(options: object): Promise<object>;
  /** Sets whether the user shows a face or finger when the authenticator asks. */
  setUserVerified(isVerified: boolean): Promise<void>;
  /** Returns the passkeys of the authenticator, with their private keys. */
  credentials(): Promise<VirtualCredential[]>;
  /** Restores a passkey, for example an older copy. */
  restore(credential: VirtualCredential): Promise<void>;
  close(): Promise<void>;
}

export interface VirtualCredential {
  credentialId: string;
  isResidentCredential: boolean;
  privateKey: string;
  signCount: number;
  rpId?: string;
  userHandle?: string;
}

/** The WebAuthn calls of a page, in the JSON form of the service. */
const PAGE = `<!doctype html>
<html lang="en">
<title>Passkeys</title>
<script>
  async function create(options) {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return (await navigator.credentials.create({ publicKey })).toJSON();
  }
  async function get(options) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({ publicKey })).toJSON();
  }
</script>
</html>`;

/** Serves the page on a free port of localhost and opens it in Debian's Chromium. */
export async function openPasskeyBrowser(): Promise<PasskeyBrowser> {
  const served = await servePage(PAGE);
  const { origin } = served;
  const chromium = await launchChromium().catch(async (error: unknown) => {
    await served.close();
    throw error;
  });
  const { context } = chromium;
  const page = await context.newPage();
  await page.goto(origin);
  const devtools = await context.newCDPSession(page);
  const authenticatorId = await addAuthenticator(devtools);
  return {
    origin,
    create: (options) => call(page, 'create', options),
    get: (options) => call(page, 'get', options),
    setUserVerified: async (isUserVerified) => {
      await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    credentials: async () => (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    restore: async (credential) => {
      const { credentialId } = credential;
      await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
      await devtools.send('WebAuthn.addCredential', { authenticatorId, credential });
    },
    close: async () => {
      await chromium.close();
      await served.close();
    },
  };
}

/** Adds a built-in authenticator that verifies its user. Returns the id of the authenticator. */
export async function addAuthenticator(devtools: CDPSession): Promise<string> {
  await devtools.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return authenticatorId;
}

async function call(page: Page, name: 'create' | 'get', options: object): Promise<object> {
  return page.evaluate<object>(`${name}(${JSON.stringify(options)})`);
}
