import type { components } from '../../generated/schema';

export type Provider = components['schemas']['ProviderBody'];
export type Parameter = components['schemas']['ProviderParameter'];

/** chosen is a provider of the catalogue. */
export const chosen = (catalogue: Provider[], kind: string, name: string): Provider | undefined =>
  catalogue.find((p) => p.kind === kind && p.name === name);

/** modelOf is what the catalogue knows of a model; without a name, of the provider's default. */
export const modelOf = (provider: Provider | undefined, name: string) =>
  (provider?.model_details ?? []).find((m) => m.name === (name || provider?.models?.[0]));

/** parameterOf is how a model takes a setting: false if it does not, and an entry without bounds where that is not known. */
export function parameterOf(provider: Provider | undefined, model: string, name: Parameter['name']): Parameter | false {
  const known = modelOf(provider, model)?.parameters;
  return known ? (known.find((p) => p.name === name) ?? false) : { name };
}
