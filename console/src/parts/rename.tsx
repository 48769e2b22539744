import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActForm } from './act-form.js';

interface Props {
  readonly before: string;
  readonly description?: string;
  /** Maximum number of characters. */
  readonly most?: number;
  /** Renames the thing and refetches what has changed. */
  readonly rename: (name: string) => Promise<unknown>;
  readonly onDone: () => void;
}

/** A form that renames something, inside a dialog. */
export function Rename({ before, description, most = 200, rename, onDone }: Props) {
  const [name, setName] = useState(before);
  return (
    <ActForm verb="Save the name" act={() => rename(name.trim())} onDone={onDone}>
      <TextInput
        label="Name"
        description={description}
        required
        withAsterisk={false}
        data-autofocus
        maxLength={most}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ActForm>
  );
}
