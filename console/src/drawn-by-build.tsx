import { Anchor, MantineProvider } from '@mantine/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { CompanyButtons, SSO_CODES, SsoRefusal } from './pages/sign-in/company-buttons.js';
import { LoginForm } from './pages/sign-in/login-form.js';
import { readable, theme } from './theme.js';

/**
 * Renders the sign-in page for the build, as it looks before its script runs. @param nonce the placeholder of each
 * response's nonce
 */
export function loginPage(nonce: string): string {
  return renderToStaticMarkup(
    <MantineProvider theme={theme} cssVariablesResolver={readable} getStyleNonce={() => nonce}>
      <LoginForm
        refusal={SSO_CODES.map((code) => (
          <SsoRefusal key={code} code={code} className="drawn-refusal" />
        ))}
        company={<CompanyButtons providers={[]} isByAddress />}
        passkey={{ isPending: false, onUse: () => undefined }}
        links={{
          forgotten: (
            <Anchor href="/console/forgot-password" size="sm">
              Forgot your password?
            </Anchor>
          ),
          register: (
            <Anchor href="/console/register" underline="always">
              Register
            </Anchor>
          ),
        }}
      />
    </MantineProvider>,
  );
}
