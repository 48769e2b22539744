import { PasswordInput, Select, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { ActForm } from '../../../parts/act-form.js';
import { BodyTemplateFields, choiceOf, isComplete, templateOf } from './body-template.js';
import { useRefetch } from './use-refetch.js';

type Destination = Schemas['DestinationResponse'];

const TYPES = [
  { value: 'webhook', label: 'Webhook' },
  { value: 'slack', label: 'Slack' },
];

interface FormProps {
  readonly projectId: string;
  /** Null for a new destination. */
  readonly destination: Destination | null;
  /** The type of a new destination. */
  readonly newType?: Destination['type'];
  readonly onDone: () => void;
}

export function DestinationForm({ projectId, destination, newType = 'webhook', onDone }: FormProps) {
  const refetch = useRefetch();
  const [type, setType] = useState<Destination['type']>(destination?.type ?? newType);
  const [name, setName] = useState(destination?.name ?? '');
  const [url, setUrl] = useState(destination?.target_url ?? '');
  const [secret, setSecret] = useState('');
  const [template, setTemplate] = useState(choiceOf(destination?.template));
  const save = async () => {
    const body = {
      type,
      name: name.trim(),
      target_url: url.trim(),
      template: type === 'webhook' ? templateOf(template) : null,
      // A secret that is not entered stays as it is.
      ...(secret !== '' && { secret }),
    };
    await (destination === null
      ? api.createAlertDestination({ body: { ...body, project_id: projectId } })
      : api.updateAlertDestination({ path: { destination_id: destination.id }, body }));
    await refetch();
  };
  return (
    <ActForm
      verb={destination === null ? 'Create endpoint' : 'Save'}
      isDisabled={type === 'webhook' && !isComplete(template)}
      act={save}
      onDone={onDone}
    >
      {destination !== null && (
        <Select
          label="Type"
          data={TYPES}
          allowDeselect={false}
          value={type}
          onChange={(value) => setType(value as Destination['type'])}
        />
      )}
      <TextInput
        label="Name"
        placeholder={type === 'slack' ? '#incidents' : 'Pager'}
        required
        data-autofocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Address"
        description={
          type === 'slack'
            ? 'The incoming webhook that Slack gave you; it is kept encrypted'
            : 'It gets a POST with JSON'
        }
        placeholder={type === 'slack' ? 'https://hooks.slack.com/services/…' : 'https://example.com/alerts'}
        type="url"
        required
        maxLength={2083}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      {type === 'webhook' && <BodyTemplateFields choice={template} onChange={setTemplate} />}
      {type === 'webhook' && (
        <PasswordInput
          label="Secret"
          description={
            destination?.has_secret === true
              ? 'Left empty it stays. After a change the old one signs beside the new one for a day'
              : 'Signs what is sent, so that the receiver knows it from a forgery'
          }
          autoComplete="off"
          maxLength={500}
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
      )}
    </ActForm>
  );
}
