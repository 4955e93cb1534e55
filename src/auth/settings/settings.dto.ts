import { OptionalChoice, OptionalFlag, OptionalParsedText, WholeNumber } from '../../http/body/dto.js';
import { readAdministered, SEEN_BY_ADMINISTRATORS, SettingFault } from '../../tenancy/project-settings.js';

/** The settings that are changed, by name. Those that are the operator's stand as they are, so that what was read can be sent. */
export class SettingsBody {
  readonly [name: string]: string | number | boolean | null | undefined;
}

type Seen = (typeof SEEN_BY_ADMINISTRATORS)[number];

for (const setting of SEEN_BY_ADMINISTRATORS) fieldOf(setting)(SettingsBody.prototype, setting.name);

function fieldOf({ name, form, about: description }: Seen): PropertyDecorator {
  switch (form.type) {
    case 'boolean':
      return OptionalFlag(description);
    case 'integer':
      return WholeNumber(description, { minimum: form.minimum, maximum: form.maximum, optional: true });
    case 'string':
      return form.enum
        ? OptionalChoice(form.enum, description)
        : OptionalParsedText(description, (text) => faultOf(name, text));
  }
}

function faultOf(name: string, text: string): string | undefined {
  const setting = readAdministered(name, text);
  // The message names the parameter itself.
  return setting instanceof SettingFault ? setting.text.replace(new RegExp(`^${name}:? `), '') : undefined;
}
