import { startAuthentication, browserSupportsWebAuthn } from '@simplewebauthn/browser';
import type { Tokens } from '@operational-events/client';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type SubmitEvent, useEffect, useState } from 'react';
import { LinkAnchor } from '../../parts/links.js';
import { signInApi } from '../../api/sign-in-client.js';
import { Failure } from '../../parts/failures.js';
import { SsoRefusal } from './company-buttons.js';
import { CompanySignIn, ConfiguredCompanies } from './company-sign-in.js';
import { confirmed } from './confirmed.js';
import { early } from './early.js';
import { LoginForm } from './login-form.js';
import { OAuthButtons } from './oauth-buttons.js';
import { SecondFactor } from './second-factor.js';
import { SignInFailure } from './company-provider.js';
import { useSignedInAs } from './signed-in.js';
import { type Challenge, useCarriedChallenge } from './use-carried-challenge.js';

const route = getRouteApi('/login');

export function LoginPage() {
  const { next: wanted, error } = route.useSearch();
  const { challenge: carried, next = wanted } = useCarriedChallenge();
  const signedInAs = useSignedInAs();
  const finish = async (tokens: Tokens) => {
    confirmed.email = '';
    await signedInAs(tokens, next);
  };
  const [challenge, setChallenge] = useState<Challenge | null>(carried);
  const [isByCompany, setIsByCompany] = useState(false);
  const [username, setUsername] = useState(early.username || confirmed.email);
  const [password, setPassword] = useState(early.password);

  const byPassword = useMutation({
    mutationFn: async () => {
      const answer = await signInApi.logIn({ body: { username, password } });
      setPassword('');
      if ('mfa_required' in answer) setChallenge(answer);
      else await finish(answer);
    },
  });
  const byPasskey = useMutation({
    mutationFn: async () => {
      const { challenge_token, options } = await signInApi.createPasskeyLoginOptions();
      const credential = await startAuthentication({ optionsJSON: options as never });
      await finish(await signInApi.logInWithPasskey({ body: { challenge_token, credential } }));
    },
  });
  const usePassword = () => {
    byPasskey.reset();
    byPassword.mutate();
  };
  const usePasskey = () => {
    byPassword.reset();
    byPasskey.mutate();
  };

  useEffect(() => {
    const act = early.goOn();
    if (act === 'submit') usePassword();
    if (act === 'passkey') usePasskey();
    if (act === 'company') setIsByCompany(true);
    // Runs once what somebody did on the page before its script was loaded.
  }, []);

  if (challenge !== null)
    return <SecondFactor challenge={challenge} onSignedIn={finish} onBack={() => setChallenge(null)} />;

  if (isByCompany) return <CompanySignIn email={username} next={next} onBack={() => setIsByCompany(false)} />;

  return (
    <LoginForm
      refusal={error !== undefined && <SsoRefusal code={error} />}
      username={{ value: username, onChange: setUsername }}
      password={{ value: password, onChange: setPassword }}
      isPending={byPassword.isPending}
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        usePassword();
      }}
      passkey={browserSupportsWebAuthn() ? { isPending: byPasskey.isPending, onUse: usePasskey } : undefined}
      isKnown={confirmed.email !== ''}
      failure={
        <>
          <SignInFailure
            error={byPassword.error}
            email={username}
            next={next}
            way="Use the button of its provider below, or the link to it that your company gave you."
          />
          <Failure error={byPasskey.error} />
        </>
      }
      providers={<OAuthButtons next={next} />}
      company={<ConfiguredCompanies next={next} onOther={() => setIsByCompany(true)} />}
      links={{
        forgotten: (
          <LinkAnchor to="/forgot-password" size="sm">
            Forgot your password?
          </LinkAnchor>
        ),
        register: (
          <LinkAnchor to="/register" search={next === undefined ? {} : { next }} underline="always">
            Register
          </LinkAnchor>
        ),
      }}
    />
  );
}
