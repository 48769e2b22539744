import { Select, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { allSavedViews } from '../../api/insight.js';
import { ActForm } from '../../parts/act-form.js';
import { Failure } from '../../parts/failures.js';
import { searchOfView } from '../../routes/logs-search.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { type Content, type Panel, withPanel } from './content.js';

interface Props {
  readonly content: Content;
  readonly onAdd: (content: Content) => void;
}

/** Returns a saved view as the question of a panel. Undefined: it is a dashboard. */
function questionOfView({ kind = 'view', filters }: Schemas['SavedViewResponse']): Panel['question'] | undefined {
  switch (kind) {
    case 'view':
      return { kind: 'logs', search: searchOfView(filters) };
    case 'dashboard':
      return undefined;
    default:
      return { kind, search: filters };
  }
}

/** A form that adds a saved question. */
export function AddPanel({ content, onAdd }: Props) {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(allSavedViews(project.id));
  const [id, setId] = useState<string | null>(null);
  const [title, setTitle] = useState('');
  const known = data?.filter(({ kind }) => kind !== 'dashboard') ?? [];
  const chosen = known.find((each) => each.id === id);
  const question = chosen && questionOfView(chosen);
  const add = (): Promise<void> => {
    if (question !== undefined) onAdd(withPanel(content, title.trim() || (chosen?.name ?? ''), question));
    return Promise.resolve();
  };
  return (
    <ActForm verb="Add the panel" isDisabled={question === undefined} act={add}>
      <Failure error={error} />
      <Select
        label="Saved question"
        searchable
        nothingFoundMessage={known.length === 0 ? 'No question has been saved yet' : 'No saved question has this name'}
        data={known.map((each) => ({ value: each.id, label: each.name }))}
        value={id}
        onChange={setId}
      />
      <TextInput
        label="Title of the panel"
        description="Empty: the name of the question"
        maxLength={200}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        Questions that are not saved are pinned on their own page: Analytics, Query, Performance or Logs.
      </Text>
    </ActForm>
  );
}
