import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/index.js';
import { domainError } from '../../../platform/http/domain-error.js';
import { emailKeyOf } from './email-key.js';

/** The deployment has REQUIRE_SSO_DOMAINS, and the address has one of these domains. */
class ProviderSignInRequired extends domainError(403, "Sign in with your company's provider") {}

/**
 * Decides which addresses may have a password. The decision depends on the address and the configuration only, so that
 * the refusal is the same for addresses with and without an account. Addresses of platform administrators are exempt,
 * because a provider that fails must not keep them out.
 */
@Injectable()
export class PasswordPolicy {
  private readonly domains: ReadonlySet<string>;
  private readonly exempt: ReadonlySet<string>;

  constructor(@Inject(CONFIG) { signInPolicy, platformAdminEmails }: Config) {
    this.domains = new Set(signInPolicy.passwordlessDomains);
    this.exempt = new Set(platformAdminEmails.map(emailKeyOf));
  }

  /** @throws ProviderSignInRequired when people of the address's domain sign in by a provider */
  requireAllowed(email: string): void {
    if (this.domains.size === 0) return;
    const key = emailKeyOf(email);
    const domain = key.slice(key.lastIndexOf('@') + 1);
    if (this.domains.has(domain) && !this.exempt.has(key)) throw new ProviderSignInRequired();
  }
}
