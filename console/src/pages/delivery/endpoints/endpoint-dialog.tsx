import { Alert } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { api } from '../../../api/client.js';
import { Confirmation, Dialog } from '../../../parts/dialog.js';
import { ChannelForm } from './channel-form.js';
import { DestinationForm } from './destination-form.js';
import type { Endpoint } from './endpoint.js';
import { ProtectedHeaders } from './protected-headers.js';
import { SigningSecret } from './signing-secret.js';
import { TestForm } from './test-form.js';
import { useRefetch } from './use-refetch.js';
import { VerificationCode } from './verification.js';

export type Doing = 'change' | 'headers' | 'secret' | 'test' | 'verify' | 'delete';

const TITLES: Readonly<Record<Doing, string>> = {
  change: 'Change the endpoint',
  headers: 'Protected headers',
  secret: 'Signing secret',
  test: 'Send a test',
  verify: 'Verify signatures',
  delete: 'Delete the endpoint',
};

interface Props {
  readonly endpoint: Endpoint | undefined;
  readonly what: Doing | undefined;
  readonly onClose: () => void;
}

/** The dialog of an action on an endpoint. It is closed while there is no endpoint. */
export function EndpointDialog({ endpoint, what, onClose }: Props) {
  return (
    <Dialog
      title={what === undefined ? '' : TITLES[what]}
      size={what === 'verify' ? 'xl' : 'lg'}
      isOpen={endpoint !== undefined}
      onClose={onClose}
    >
      {endpoint !== undefined && what !== undefined && <Content endpoint={endpoint} what={what} onDone={onClose} />}
    </Dialog>
  );
}

interface ContentProps {
  readonly endpoint: Endpoint;
  readonly what: Doing;
  readonly onDone: () => void;
}

function Content({ endpoint, what, onDone }: ContentProps) {
  switch (what) {
    case 'change':
      return endpoint.of === 'channel' ? (
        <ChannelForm projectId={endpoint.it.project_id} channel={endpoint.it} onDone={onDone} />
      ) : (
        <DestinationForm projectId={endpoint.it.project_id} destination={endpoint.it} onDone={onDone} />
      );
    case 'headers':
      return endpoint.of === 'channel' ? <ProtectedHeaders channel={endpoint.it} /> : null;
    case 'secret':
      return endpoint.of === 'channel' && endpoint.it.type === 'webhook' ? (
        <SigningSecret channel={endpoint.it} onDone={onDone} />
      ) : null;
    case 'test':
      return endpoint.of === 'channel' ? (
        <TestChannel channel={endpoint.it} />
      ) : (
        <TestDestination destination={endpoint.it} />
      );
    case 'verify':
      return <VerificationCode of={endpoint.of} />;
    case 'delete':
      return <Deletion endpoint={endpoint} onDone={onDone} />;
  }
}

function TestChannel({ channel }: { readonly channel: Schemas['ChannelResponse'] }) {
  const refetch = useRefetch();
  const { id: channel_id, project_id, name } = channel;
  const send = async () => {
    const outcome = await api.testDeliveryChannel({ path: { channel_id }, query: { project_id } });
    await refetch();
    return outcome;
  };
  return (
    <TestForm send={send}>
      A test goes to <b>{name}</b>, once.
      <Alert color="orange" variant="light" mt="sm">
        The test is evidence and stays under Attempts. From then on the endpoint can be switched off, but not deleted.
      </Alert>
    </TestForm>
  );
}

function TestDestination({ destination }: { readonly destination: Schemas['DestinationResponse'] }) {
  const { id, name } = destination;
  return (
    <TestForm send={() => api.testAlertDestination({ path: { destination_id: id } })} failure="It was not taken">
      A test goes to <b>{name}</b>, switched on or not. It is tried once, for up to ten seconds, and is not kept under
      Attempts.
    </TestForm>
  );
}

interface DeletionProps {
  readonly endpoint: Endpoint;
  readonly onDone: () => void;
}

function Deletion({ endpoint: { of, it }, onDone }: DeletionProps) {
  const refetch = useRefetch();
  const remove = async () => {
    await (of === 'channel'
      ? api.deleteDeliveryChannel({ path: { channel_id: it.id }, query: { project_id: it.project_id } })
      : api.deleteAlertDestination({ path: { destination_id: it.id } }));
    await refetch();
  };
  return (
    <Confirmation verb="Delete" isDangerous act={remove} onClose={onDone}>
      {of === 'channel' ? (
        <>
          <b>{it.name}</b> is deleted with its protected headers. An endpoint with attempts cannot be deleted, because
          they are evidence: switch it off instead.
        </>
      ) : (
        <>
          <b>{it.name}</b> is not notified any more, and notifications that wait fail. Rules that name no other endpoint
          notify nobody then. This cannot be undone.
        </>
      )}
    </Confirmation>
  );
}
