import { Textarea } from '@mantine/core';
import { typing, type ConsoleField } from './console-field.js';

export const textField: ConsoleField = {
  label: 'Long text',
  help: 'A description or a comment, of several lines.',
  width: 260,
  pasted: (cell) => cell,
  separators: [],
  isTypedOver: true,
  control: (props) => <Textarea {...typing(props)} spellCheck autosize minRows={3} maxRows={20} />,
};
