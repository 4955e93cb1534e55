import { OptionalChoice, OptionalFlag, OptionalParsedText, WholeNumber } from '../../http/body/dto.js';
import { ADMINISTERED, readAdministered, SettingFault } from '../../tenancy/project-settings.js';

/** The settings that are changed, by name. */
export class SettingsBody {
  readonly [name: string]: string | number | boolean | null | undefined;
}

type Administered = (typeof ADMINISTERED)[number];

for (const setting of ADMINISTERED) fieldOf(setting)(SettingsBody.prototype, setting.name);

function fieldOf({ name, form, about: description }: Administered): PropertyDecorator {
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
