import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { ActForm } from './act-form.js';
import { useKeysRead } from './key-rows.js';
import { ShownOnce } from './shown-once.js';

interface Props {
  /** @returns the key itself */
  readonly make: (name: string) => Promise<string>;
  readonly onDone: () => void;
}

/** Asks for the name of a key, and shows the created key once. */
export function MakeKey({ make, onDone }: Props) {
  const readAnew = useKeysRead();
  const [name, setName] = useState('');
  const [made, setMade] = useState<string | null>(null);
  if (made !== null) {
    return (
      <ShownOnce
        name="the key"
        text={made}
        advice="Store it where only your program can read it, for example in an environment variable."
        onKept={onDone}
      />
    );
  }
  const act = async () => {
    setMade(await make(name.trim()));
    await readAnew();
  };
  return (
    <ActForm verb="Make the key" act={act}>
      <TextInput
        label="Name"
        description="The program that will use it"
        placeholder="Web server"
        required
        data-autofocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ActForm>
  );
}
