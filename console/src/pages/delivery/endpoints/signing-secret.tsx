import { Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { ActForm } from '../../../parts/act-form.js';
import { ShownOnce } from '../../../parts/shown-once.js';
import { useRefetch } from './use-refetch.js';

interface ShownProps {
  readonly secret: string;
  readonly onDone: () => void;
}

/** Shows the signing secret of a channel, which the service returns only once. */
export function ShownSigningSecret({ secret, onDone }: ShownProps) {
  return (
    <ShownOnce
      name="the signing secret"
      text={secret}
      advice="Give it to the receiver. It proves by the signature that a request comes from here."
      onKept={onDone}
    />
  );
}

interface Props {
  readonly channel: Schemas['WebhookChannel'];
  readonly onDone: () => void;
}

/** Gives a channel another signing secret, or its first one. */
export function SigningSecret({ channel, onDone }: Props) {
  const refetch = useRefetch();
  const [made, setMade] = useState<string | null>(null);
  if (made !== null) return <ShownSigningSecret secret={made} onDone={onDone} />;
  const rotate = async () => {
    const { signing_secret: secret = null } = await api.updateDeliveryChannel({
      path: { channel_id: channel.id },
      query: { project_id: channel.project_id },
      body: { rotate_signing_secret: true },
    });
    setMade(secret);
    await refetch();
  };
  return (
    <ActForm verb="Make a new secret" act={rotate}>
      <Text size="sm">
        {channel.has_signing_secret
          ? 'Requests are signed. After a change, the present secret also signs for a day.'
          : 'Requests are not signed yet, because the endpoint is older than signatures.'}
      </Text>
    </ActForm>
  );
}
