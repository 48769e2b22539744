import { Alert, Button, Stack } from '@mantine/core';
import { Icon } from '../../parts/icons.js';

/** A provider of a company that the deployment has set up. */
export interface CompanyProvider {
  readonly name: string;
  readonly label: string;
  /** A `data:` URL. */
  readonly icon: string | null;
  readonly start_url: string;
}

const SENTENCES: Readonly<Record<string, string>> = {
  sso_failed: 'Your company’s sign-in did not work. Try again, or ask the person who administers it.',
  sso_domain: 'Your company’s sign-in may not be used with this e-mail address.',
  sso_expired: 'The sign-in took too long, or was begun in another browser. Begin it again.',
  sso_unknown_provider: 'This company sign-in does not exist, or is switched off.',
  sso_disabled_account: 'Your account is disabled. Ask the operator of this service.',
  sso_provider_unreachable: 'Your company’s sign-in cannot be reached at the moment. Try again in a few minutes.',
};
export const SSO_CODES = Object.keys(SENTENCES);

/** Says why a sign-in by a company was refused. @param className that of the sentences which the build renders */
export function SsoRefusal({ code, className }: { readonly code: string; readonly className?: string }) {
  return (
    <Alert className={className} data-code={code} color="red" variant="light" role="alert">
      {SENTENCES[code] ?? SENTENCES['sso_failed']}
    </Alert>
  );
}

interface Props {
  readonly providers: readonly CompanyProvider[];
  /** Whether organizations have providers of their own, which an address finds. */
  readonly isByAddress: boolean;
  readonly onProvider?: (provider: CompanyProvider) => void;
  readonly onOther?: () => void;
}

/** The buttons of the sign-in page. The build renders them too, before the providers are known. */
export function CompanyButtons({ providers, isByAddress, onProvider, onOther }: Props) {
  return (
    <>
      <Stack className="company-buttons">
        {providers.map((provider) => (
          <Button
            key={provider.name}
            variant="default"
            leftSection={<ProviderIcon icon={provider.icon} />}
            onClick={() => onProvider?.(provider)}
          >
            Sign in with {provider.label}
          </Button>
        ))}
      </Stack>
      {isByAddress && (
        <Button variant="default" name="company" leftSection={<Icon name="people" size={16} />} onClick={onOther}>
          Sign in with your company
        </Button>
      )}
    </>
  );
}

function ProviderIcon({ icon }: Pick<CompanyProvider, 'icon'>) {
  return icon === null ? <Icon name="people" size={16} /> : <img src={icon} alt="" width={16} height={16} />;
}
