import { Group, PasswordInput, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { sourceEvents } from '../../api/owning.js';
import { Act } from '../../parts/act.js';
import { ActForm } from '../../parts/act-form.js';
import { Copied } from '../../parts/copied.js';
import { Confirmation, Dialog } from '../../parts/dialog.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Listed } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { Cell, Rows } from '../../parts/rows.js';
import { NotOffered, Section } from '../../parts/section.js';
import { useSourceRead } from './use-source-read.js';

type Source = Schemas['EventSourceResponse'];
type Scheme = Schemas['HookVerificationRequest']['scheme'];
type Encoding = NonNullable<Schemas['HookVerificationRequest']['encoding']>;

const SCHEMES: Readonly<Record<Scheme, { label: string; secret: string }>> = {
  github: { label: 'GitHub', secret: 'The secret of the webhook in the settings of the repository' },
  stripe: { label: 'Stripe', secret: 'The signing secret of the endpoint, which begins with whsec_' },
  shopify: { label: 'Shopify', secret: 'The key below the webhooks in the notification settings' },
  slack: { label: 'Slack', secret: 'The signing secret of the app' },
  'standard-webhooks': { label: 'Standard Webhooks', secret: 'The secret of the endpoint, which begins with whsec_' },
  gitlab: { label: 'GitLab', secret: 'The secret token of the webhook' },
  'hmac-sha256': { label: 'HMAC with SHA-256', secret: 'The key that the sender signs with' },
  none: { label: 'Not verified', secret: '' },
};

interface Props {
  readonly source: Source;
  readonly refusal: string | undefined;
}

/** The address for webhooks of a source, how they are verified, and the last ones. */
export function Webhooks({ source, refusal }: Props) {
  const { id, hook_url = null, verification, has_verification_secret = false } = source;
  const [opened, setOpened] = useState<'verification' | 'address' | null>(null);
  const close = () => setOpened(null);
  if (verification === undefined) return null;
  return (
    <Section
      title="Webhooks"
      about="Enter the address at the provider. Whoever knows it can send, unless a secret verifies what comes."
      acts={
        <>
          <Act variant="default" refusal={refusal} onAct={() => setOpened('address')}>
            New address
          </Act>
          <Act refusal={refusal} onAct={() => setOpened('verification')}>
            {has_verification_secret ? 'Change the verification' : 'Verify with a secret'}
          </Act>
        </>
      }
    >
      {hook_url === null ? (
        <NotOffered why="Only admins see the address" />
      ) : (
        <Copied name="the address" text={hook_url} />
      )}
      <Facts>
        <Fact name="Scheme">{SCHEMES[verification.scheme].label}</Fact>
        <Fact name="Secret">{has_verification_secret ? 'Set' : 'None'}</Fact>
        {verification.header !== undefined && <Fact name="Header">{verification.header}</Fact>}
        {verification.encoding !== undefined && <Fact name="Encoding">{verification.encoding}</Fact>}
        {verification.prefix !== undefined && verification.prefix !== '' && (
          <Fact name="Prefix">{verification.prefix}</Fact>
        )}
      </Facts>
      <LastDeliveries id={id} />
      <Dialog
        title="Verify webhooks"
        guide="senders#webhooks-of-github-stripe-and-others"
        isOpen={opened === 'verification'}
        onClose={close}
      >
        <VerificationForm source={source} onDone={close} />
      </Dialog>
      <Dialog title="New address" isOpen={opened === 'address'} onClose={close}>
        <NewAddress id={id} onDone={close} />
      </Dialog>
    </Section>
  );
}

function LastDeliveries({ id }: { readonly id: string }) {
  const query = useQuery(sourceEvents(id));
  return (
    <Listed
      query={{ data: query.data?.items, error: query.error }}
      empty={
        <Text size="sm" c="dimmed">
          No webhook has come yet.
        </Text>
      }
    >
      {(events) => (
        <Rows label="Last deliveries" columns={['Received', 'Event', 'Delivery']}>
          {events.map((event) => (
            <Table.Tr key={event.id}>
              <Cell column="Received">
                <Moment at={event.created_at} />
              </Cell>
              <Cell column="Event" style={{ overflowWrap: 'anywhere' }}>
                {event.event}
              </Cell>
              <Cell column="Delivery" ff="monospace" fz="xs" style={{ overflowWrap: 'anywhere' }}>
                {event.external_event_id ?? '–'}
              </Cell>
            </Table.Tr>
          ))}
        </Rows>
      )}
    </Listed>
  );
}

interface DialogProps {
  readonly onDone: () => void;
}

function NewAddress({ id, onDone }: DialogProps & { readonly id: string }) {
  const readAnew = useSourceRead(id);
  const rotate = async () => {
    await api.updateIngestSource({ path: { source_id: id }, body: { rotate_hook: true } });
    await readAnew();
  };
  return (
    <Confirmation verb="Make a new address" isDangerous act={rotate} onClose={onDone}>
      The old address stops working at once. The secret stays. Enter the new address at the provider.
    </Confirmation>
  );
}

function VerificationForm({ source, onDone }: DialogProps & { readonly source: Source }) {
  const readAnew = useSourceRead(source.id);
  const before = source.verification;
  const [scheme, setScheme] = useState<Scheme>(
    before === undefined || before.scheme === 'none' ? 'github' : before.scheme,
  );
  const [secret, setSecret] = useState('');
  const [header, setHeader] = useState(before?.header ?? '');
  const [encoding, setEncoding] = useState<Encoding>(before?.encoding ?? 'hex');
  const [prefix, setPrefix] = useState(before?.prefix ?? '');
  const save = async () => {
    const signature = scheme === 'hmac-sha256' ? { header, encoding, prefix } : {};
    const verification = scheme === 'none' ? null : { scheme, secret, ...signature };
    await api.updateIngestSource({ path: { source_id: source.id }, body: { verification } });
    setSecret('');
    await readAnew();
  };
  return (
    <ActForm verb={scheme === 'none' ? 'Remove the secret' : 'Set the secret'} act={save} onDone={onDone}>
      <Select
        label="Scheme"
        data={Object.entries(SCHEMES).map(([value, { label }]) => ({ value, label }))}
        value={scheme}
        allowDeselect={false}
        onChange={(value) => value !== null && setScheme(value as Scheme)}
      />
      {scheme === 'none' ? (
        <Text size="sm">The secret is gone at once. Then everybody who knows the address can send.</Text>
      ) : (
        <PasswordInput
          label="Secret"
          description={SCHEMES[scheme].secret}
          required
          withAsterisk={false}
          autoComplete="off"
          maxLength={500}
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
      )}
      {scheme === 'hmac-sha256' && (
        <Stack>
          <TextInput
            label="Header"
            description="The header with the signature of the body"
            placeholder="X-Signature"
            required
            withAsterisk={false}
            maxLength={100}
            value={header}
            onChange={(event) => setHeader(event.currentTarget.value)}
          />
          <Group grow align="flex-end">
            <Select
              label="Encoding"
              data={['hex', 'base64']}
              value={encoding}
              allowDeselect={false}
              onChange={(value) => value !== null && setEncoding(value)}
            />
            <TextInput
              label="Prefix"
              placeholder="sha256="
              maxLength={50}
              value={prefix}
              onChange={(event) => setPrefix(event.currentTarget.value)}
            />
          </Group>
        </Stack>
      )}
    </ActForm>
  );
}
