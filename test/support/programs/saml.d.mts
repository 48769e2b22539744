/** An identity provider of SAML 2.0 on loopback. */
export interface LoopbackSamlProvider {
  readonly entityId: string;
  readonly signInUrl: string;
  /** The person whom it signs in. */
  readonly person: { email: string; name: string; group: string };
  close(): Promise<void>;
}

export function startSamlProvider(certificate: {
  readonly cert: string;
  readonly key: string;
}): Promise<LoopbackSamlProvider>;
