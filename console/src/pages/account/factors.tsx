import { Alert, Anchor, Badge, Button, Center, Group, Loader, Stack, Table, Text, TextInput } from '@mantine/core';
import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { passkeys, twoFactor } from '../../api/account.js';
import { api } from '../../api/client.js';
import { ActForm } from '../../parts/act-form.js';
import { Copied } from '../../parts/copied.js';
import { Confirmation, Dialog } from '../../parts/dialog.js';
import { Failure } from '../../parts/failures.js';
import { LinkAnchor } from '../../parts/links.js';
import { Listed } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Cell, Rows } from '../../parts/rows.js';
import { Rename } from '../../parts/rename.js';
import { Section } from '../../parts/section.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { useStepUp } from '../../parts/step-up.js';
import { PendingPage } from '../../shell/around-pages.js';

const QrCode = lazy(async () => ({ default: (await import('../../parts/qr-code.js')).QrCode }));

const route = getRouteApi('/signed-in/account/factors');

type Passkey = Schemas['PasskeyResponse'];

/** The second factors of the account, which protect it when the password is stolen. */
export function FactorsPage() {
  const { next } = route.useSearch();
  const { data: status, error } = useQuery(twoFactor);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <Stack gap="lg" maw={760}>
      <PageHead
        title="Second factors"
        guide="accounts#second-factors"
        about="A second factor protects your account when the password is stolen."
      />
      {next !== undefined && status !== undefined && <Requirement isMet={isGuardedBy(status)} next={next} />}
      <Failure error={error} />
      {status === undefined && error === null && <PendingPage />}
      {status !== undefined && (
        <>
          <AuthenticatorSection isOn={status.enabled} onCodes={setCodes} />
          <PasskeysSection onCodes={setCodes} />
          <RecoverySection status={status} onCodes={setCodes} />
        </>
      )}
      <Dialog title="Recovery codes" isOpen={codes !== null} onClose={() => setCodes(null)}>
        {codes !== null && (
          <ShownOnce
            name="the recovery codes"
            text={codes.join('\n')}
            advice="Each opens the account once when a device is lost. Print them, or keep them where you keep passwords."
            onKept={() => setCodes(null)}
          />
        )}
      </Dialog>
    </Stack>
  );
}

/** Tells a person who was led here why, and leads the person on when a second factor is set up. */
function Requirement({ isMet, next }: { readonly isMet: boolean; readonly next: string }) {
  return (
    <Alert variant="light" role="status">
      <Text size="sm">
        {isMet ? (
          <>
            Your account has a second factor.{' '}
            <LinkAnchor to={next} size="sm" underline="always">
              Go on
            </LinkAnchor>
          </>
        ) : (
          'This service requires a second factor: set one up here to go on.'
        )}
      </Text>
    </Alert>
  );
}

function isGuardedBy({ enabled, passkey_count }: Schemas['TwoFactorStatusResponse']): boolean {
  return enabled || passkey_count > 0;
}

interface CodesProps {
  /** Receives new recovery codes, which are shown only once. */
  readonly onCodes: (codes: readonly string[]) => void;
}

function useFactorsRead(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['account'] });
}

function AuthenticatorSection({ isOn, onCodes }: CodesProps & { readonly isOn: boolean }) {
  const prove = useStepUp();
  const readAnew = useFactorsRead();
  const [isEnding, setIsEnding] = useState(false);
  const setup = useMutation({
    mutationFn: () => prove((header) => api.setUpTwoFactor({ body: {}, header })),
    gcTime: 0,
  });
  const end = async () => {
    await prove((header) => api.disableTwoFactor({ body: {}, header }));
    await readAnew();
  };
  const enabled = async (codes: readonly string[]) => {
    setup.reset();
    await readAnew();
    onCodes(codes);
  };
  return (
    <Section
      title="Authenticator"
      about="An app that shows a new six-digit code every 30 seconds."
      acts={
        isOn ? (
          <>
            <Badge variant="light">On</Badge>
            <Button variant="light" color="red" onClick={() => setIsEnding(true)}>
              Switch off
            </Button>
          </>
        ) : (
          <Button loading={setup.isPending} onClick={() => setup.mutate()}>
            Set up
          </Button>
        )
      }
    >
      <Failure error={setup.error} />
      <Dialog
        title="Set up the authenticator"
        isOpen={setup.data !== undefined}
        onClose={() => setup.reset()}
        size="lg"
      >
        {setup.data !== undefined && <EnableForm setup={setup.data} onEnabled={enabled} />}
      </Dialog>
      <Dialog title="Switch the authenticator off" isOpen={isEnding} onClose={() => setIsEnding(false)}>
        <Confirmation verb="Switch off" isDangerous act={end} onClose={() => setIsEnding(false)}>
          Its codes are taken no more. Without another second factor the recovery codes go too, and no device stays
          trusted.
        </Confirmation>
      </Dialog>
    </Section>
  );
}

interface EnableProps {
  readonly setup: Schemas['TwoFactorSetupResponse'];
  readonly onEnabled: (codes: readonly string[]) => Promise<void>;
}

function EnableForm({ setup: { secret, otpauth_url, recovery_codes }, onEnabled }: EnableProps) {
  const [code, setCode] = useState('');
  const enable = async () => {
    await api.enableTwoFactor({ body: { code: code.replaceAll(' ', '') } });
    await onEnabled(recovery_codes);
  };
  return (
    <ActForm verb="Switch on" act={enable}>
      <Text size="sm">
        Scan the code with your app, or type the key in. On a phone with the app,{' '}
        <Anchor href={otpauth_url} size="sm" underline="always">
          open it there
        </Anchor>{' '}
        instead.
      </Text>
      <Center mih={200}>
        <Suspense fallback={<Loader />}>
          <QrCode label="The key of the authenticator as a QR code" text={otpauth_url} />
        </Suspense>
      </Center>
      <Copied name="the key of the authenticator" text={secret} />
      <TextInput
        label="Code that the app shows"
        inputMode="numeric"
        autoComplete="one-time-code"
        pattern="[0-9 ]{6,7}"
        required
        withAsterisk={false}
        data-autofocus
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </ActForm>
  );
}

function PasskeysSection({ onCodes }: CodesProps) {
  const query = useQuery(passkeys);
  const prove = useStepUp();
  const readAnew = useFactorsRead();
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  const [removed, setRemoved] = useState<Passkey | null>(null);
  const add = useMutation({
    // The codes are passed on instead of returned: the result of a mutation stays as long as the page.
    mutationFn: async () => {
      const { challenge_token, options } = await prove((header) => api.createPasskeyOptions({ body: {}, header }));
      const credential = await startRegistration({ optionsJSON: options as never });
      const { recovery_codes, ...made } = await api.createPasskey({ body: { challenge_token, credential } });
      await readAnew();
      if (recovery_codes === undefined) setRenamed(made);
      else onCodes(recovery_codes);
    },
  });
  const remove = async (passkey_id: string) => {
    await prove((header) => api.deletePasskey({ path: { passkey_id }, body: {}, header }));
    await readAnew();
  };
  return (
    <Section
      title="Passkeys"
      about="Sign in with your face, a fingerprint or a security key instead of the password."
      acts={
        browserSupportsWebAuthn() && (
          <Button loading={add.isPending} onClick={() => add.mutate()}>
            Add a passkey
          </Button>
        )
      }
    >
      <Failure error={add.error} />
      <Listed
        query={query}
        empty={
          <Text size="sm" c="dimmed">
            None yet. Add one on each device that you sign in from.
          </Text>
        }
      >
        {(items) => (
          <Rows label="Passkeys" columns={['Name', 'Added', 'Last used', null]}>
            {items.map((each) => (
              <Table.Tr key={each.id}>
                <Cell column="Name">{each.name}</Cell>
                <Cell column="Added">
                  <Moment at={each.created_at} />
                </Cell>
                <Cell column="Last used">
                  {each.last_used_at === null ? 'Never' : <Moment at={each.last_used_at} />}
                </Cell>
                <Table.Td>
                  <Group gap="xs" justify="flex-end" wrap="nowrap">
                    <Button
                      size="xs"
                      variant="subtle"
                      aria-label={`Rename ${each.name}`}
                      onClick={() => setRenamed(each)}
                    >
                      Rename
                    </Button>
                    <Button
                      size="xs"
                      variant="subtle"
                      color="red"
                      aria-label={`Remove ${each.name}`}
                      onClick={() => setRemoved(each)}
                    >
                      Remove
                    </Button>
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog title="Name the passkey" isOpen={renamed !== null} onClose={() => setRenamed(null)}>
        {renamed !== null && <RenamePasskey passkey={renamed} onDone={() => setRenamed(null)} />}
      </Dialog>
      <Dialog title="Remove the passkey" isOpen={removed !== null} onClose={() => setRemoved(null)}>
        {removed !== null && (
          <Confirmation verb="Remove" isDangerous act={() => remove(removed.id)} onClose={() => setRemoved(null)}>
            <b>{removed.name}</b> opens the account no more. Delete it on the device too.
          </Confirmation>
        )}
      </Dialog>
    </Section>
  );
}

function RenamePasskey({ passkey, onDone }: { readonly passkey: Passkey; readonly onDone: () => void }) {
  const readAnew = useFactorsRead();
  const rename = async (name: string) => {
    await api.updatePasskey({ path: { passkey_id: passkey.id }, body: { name } });
    await readAnew();
  };
  return <Rename before={passkey.name} description="The device it is on" most={100} rename={rename} onDone={onDone} />;
}

function RecoverySection({ status, onCodes }: CodesProps & { readonly status: Schemas['TwoFactorStatusResponse'] }) {
  const prove = useStepUp();
  const readAnew = useFactorsRead();
  const [isAsking, setIsAsking] = useState(false);
  const make = async () => {
    const { recovery_codes } = await prove((header) => api.regenerateRecoveryCodes({ body: {}, header }));
    await readAnew();
    onCodes(recovery_codes);
  };
  const isGuarded = isGuardedBy(status);
  return (
    <Section
      title="Recovery codes"
      about={
        isGuarded
          ? `${status.recovery_codes_remaining} left. Each opens the account once when a device is lost.`
          : 'They come with the first second factor.'
      }
      {...(isGuarded && {
        acts: (
          <Button variant="default" onClick={() => setIsAsking(true)}>
            Make new ones
          </Button>
        ),
      })}
    >
      <Dialog title="New recovery codes" isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <Confirmation verb="Make new ones" act={make} onClose={() => setIsAsking(false)}>
          Ten new codes are shown once. Those of before end at once.
        </Confirmation>
      </Dialog>
    </Section>
  );
}
