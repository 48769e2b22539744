import { Group, NumberInput, PasswordInput, Select, SimpleGrid, TagsInput, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { ActForm } from '../../../parts/act-form.js';
import { DurationSelect } from '../../../parts/durations.js';
import { BodyTemplateFields, choiceOf, isComplete, templateOf } from './body-template.js';
import { PairLines, type Pair, pairsOf, recordOf } from './pair-lines.js';
import { ShownSigningSecret } from './signing-secret.js';
import { useRefetch } from './use-refetch.js';

type Channel = Schemas['ChannelResponse'];
type Policy = Schemas['RetryPolicyConfiguration'];

interface Props {
  readonly projectId: string;
  /** Null for a new channel. */
  readonly channel: Channel | null;
  /** The type of a new channel. */
  readonly newType?: Channel['type'];
  readonly onDone: () => void;
}

const WAITS_S = [10, 30, 60, 300, 900, 3_600, 14_400, 86_400];

export function ChannelForm({ projectId, channel, newType = 'webhook', onDone }: Props) {
  const refetch = useRefetch();
  const webhook = channel?.type === 'webhook' ? channel.configuration : null;
  const email = channel?.type === 'email' ? channel.configuration : null;
  const type = channel?.type ?? newType;
  const [name, setName] = useState(channel?.name ?? '');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [method, setMethod] = useState<Schemas['WebhookMethod']>(webhook?.method ?? 'POST');
  const [headers, setHeaders] = useState<readonly Pair[]>(pairsOf(webhook?.headers ?? {}));
  const [guard, setGuard] = useState({ name: '', value: '' });
  const [to, setTo] = useState<readonly string[]>(email?.to ?? []);
  const [prefix, setPrefix] = useState(email?.subject_prefix ?? '');
  const [policy, setPolicy] = useState<Required<Policy>>({ ...USUAL, ...channel?.configuration.retry_policy });
  const [template, setTemplate] = useState(choiceOf(webhook?.template));
  const [signingSecret, setSigningSecret] = useState<string | null>(null);
  const save = async () => {
    const common = { name: name.trim() };
    const body = templateOf(template);
    const asWebhook = {
      url: url.trim(),
      method,
      headers: recordOf(headers),
      retry_policy: policy,
      ...(body !== null && { template: body }),
    };
    const asEmail = {
      to: [...to],
      ...(prefix.trim() !== '' && { subject_prefix: prefix.trim() }),
      retry_policy: policy,
    };
    if (channel !== null) {
      const which = { path: { channel_id: channel.id }, query: { project_id: projectId } };
      await api.updateDeliveryChannel({
        ...which,
        body: { ...common, configuration: type === 'webhook' ? asWebhook : asEmail },
      });
    } else if (type === 'webhook') {
      const protected_headers = guard.name.trim() === '' ? [] : [{ name: guard.name.trim(), value: guard.value }];
      const { signing_secret: secret = null } = await api.createDeliveryChannel({
        body: { ...common, project_id: projectId, type, configuration: asWebhook, protected_headers },
      });
      setSigningSecret(secret);
      await refetch();
      if (secret === null) onDone();
      return;
    } else {
      await api.createDeliveryChannel({ body: { ...common, project_id: projectId, type, configuration: asEmail } });
    }
    await refetch();
    onDone();
  };
  if (signingSecret !== null) return <ShownSigningSecret secret={signingSecret} onDone={onDone} />;
  return (
    <ActForm
      verb={channel === null ? 'Create endpoint' : 'Save'}
      isDisabled={type === 'webhook' && !isComplete(template)}
      act={save}
    >
      <TextInput
        label="Name"
        placeholder={type === 'email' ? 'On call' : 'Ticket system'}
        required
        data-autofocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {type === 'webhook' ? (
        <>
          <Group align="flex-end" wrap="nowrap">
            <Select
              label="Method"
              w={104}
              data={['POST', 'PUT', 'PATCH']}
              allowDeselect={false}
              value={method}
              onChange={(value) => setMethod(value as Schemas['WebhookMethod'])}
            />
            <TextInput
              label="Address"
              placeholder="https://example.com/notifications"
              type="url"
              required
              style={{ flex: 1 }}
              maxLength={2083}
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
            />
          </Group>
          <BodyTemplateFields choice={template} onChange={setTemplate} />
          <PairLines label="Headers" about="Everybody here can read these." pairs={headers} onChange={setHeaders} />
          {channel === null && (
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              <TextInput
                label="Protected header"
                description="Such as Authorization"
                maxLength={80}
                value={guard.name}
                onChange={(event) => setGuard({ ...guard, name: event.currentTarget.value })}
              />
              <PasswordInput
                label="Its value"
                description="Kept encrypted, and never shown again"
                autoComplete="off"
                maxLength={2048}
                value={guard.value}
                onChange={(event) => setGuard({ ...guard, value: event.currentTarget.value })}
              />
            </SimpleGrid>
          )}
        </>
      ) : (
        <>
          <TagsInput
            label="To"
            description="Up to twenty addresses; Enter ends each"
            required={to.length === 0}
            maxTags={20}
            value={[...to]}
            onChange={setTo}
          />
          <TextInput
            label="Subject begins with"
            placeholder="[shop]"
            maxLength={80}
            value={prefix}
            onChange={(event) => setPrefix(event.currentTarget.value)}
          />
        </>
      )}
      <div role="group" aria-label="When it fails">
        <Text size="sm" fw={500} mb={4}>
          When it fails
        </Text>
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          <NumberInput
            label="Tries again"
            min={0}
            max={100}
            allowDecimal={false}
            value={policy.max_attempts}
            onChange={(value) => setPolicy({ ...policy, max_attempts: Number(value) })}
          />
          <Select
            label="Waits"
            data={[
              { value: 'fixed', label: 'the same' },
              { value: 'linear', label: 'growing' },
              { value: 'exponential', label: 'doubling' },
            ]}
            allowDeselect={false}
            value={policy.strategy}
            onChange={(value) => setPolicy({ ...policy, strategy: value as Policy['strategy'] & string })}
          />
          <DurationSelect
            label="At first"
            choices={WAITS_S}
            value={policy.base_delay_seconds}
            onChange={(base_delay_seconds) => setPolicy({ ...policy, base_delay_seconds })}
          />
          <DurationSelect
            label="At most"
            choices={WAITS_S}
            value={policy.max_delay_seconds}
            onChange={(max_delay_seconds) => setPolicy({ ...policy, max_delay_seconds })}
          />
        </SimpleGrid>
      </div>
    </ActForm>
  );
}

const USUAL: Required<Policy> = {
  strategy: 'exponential',
  base_delay_seconds: 60,
  max_delay_seconds: 900,
  max_attempts: 3,
};
