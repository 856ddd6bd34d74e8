import type { Call, Refusal } from './server';

/** Texts are what a person reads, in one language. */
export interface Texts {
  title: string;
  once: string;
  open: string;
  summary: string;
  noSummary: string;
  context: string;
  transcript: string;
  nothing: string;
  caller: string;
  agent: string;
  colleague: string;
  ended: string;
  phases: Record<Call['phase'], string>;
  refusals: Record<Refusal, string>;
  hints: Record<Refusal, string>;
}

const en: Texts = {
  title: 'A caller for you',
  once: 'The link can be opened once, in one browser.',
  open: 'Show the call',
  summary: 'Summary',
  noSummary: 'None yet',
  context: 'About the caller',
  transcript: 'Conversation',
  nothing: 'Nothing has been said yet.',
  caller: 'Caller',
  agent: 'Agent',
  colleague: 'Colleague',
  ended: 'The call has ended.',
  phases: {
    dialled: 'Your phone is ringing.',
    answered: 'You have answered. The caller does not hear you yet.',
    connected: 'You are connected with the caller.',
  },
  refusals: {
    unknown: 'This link is not valid.',
    expired: 'This link has expired.',
    over: 'This transfer is over.',
    used: 'This link was already used.',
    busy: 'Too many requests.',
    unreachable: 'The server cannot be reached.',
  },
  hints: {
    unknown: 'Open it exactly as it was sent to you.',
    expired: 'A link is valid for 15 minutes.',
    over: 'The caller is no longer being connected with you, or the call has ended.',
    used: 'It can be opened once. Use the browser in which it was opened.',
    busy: 'Reload the page in a minute.',
    unreachable: 'Reload the page in a moment.',
  },
};

const de: Texts = {
  title: 'Ein Anruf für Sie',
  once: 'Der Link lässt sich einmal öffnen, in einem Browser.',
  open: 'Gespräch anzeigen',
  summary: 'Zusammenfassung',
  noSummary: 'Noch keine',
  context: 'Über den Anrufer',
  transcript: 'Gespräch',
  nothing: 'Es wurde noch nichts gesagt.',
  caller: 'Anrufer',
  agent: 'Agent',
  colleague: 'Kollege',
  ended: 'Der Anruf ist beendet.',
  phases: {
    dialled: 'Ihr Telefon klingelt.',
    answered: 'Sie haben abgenommen. Der Anrufer hört Sie noch nicht.',
    connected: 'Sie sind mit dem Anrufer verbunden.',
  },
  refusals: {
    unknown: 'Dieser Link ist ungültig.',
    expired: 'Dieser Link ist abgelaufen.',
    over: 'Diese Weiterleitung ist beendet.',
    used: 'Dieser Link wurde schon benutzt.',
    busy: 'Zu viele Anfragen.',
    unreachable: 'Der Server ist nicht erreichbar.',
  },
  hints: {
    unknown: 'Öffnen Sie ihn genau so, wie Sie ihn bekommen haben.',
    expired: 'Ein Link gilt 15 Minuten.',
    over: 'Der Anrufer wird nicht mehr mit Ihnen verbunden, oder der Anruf ist beendet.',
    used: 'Er lässt sich einmal öffnen. Benutzen Sie den Browser, in dem er geöffnet wurde.',
    busy: 'Laden Sie die Seite in einer Minute neu.',
    unreachable: 'Laden Sie die Seite gleich noch einmal.',
  },
};

const fr: Texts = {
  title: 'Un appel pour vous',
  once: 'Le lien peut être ouvert une fois, dans un navigateur.',
  open: 'Afficher l’appel',
  summary: 'Résumé',
  noSummary: 'Pas encore',
  context: 'À propos de l’appelant',
  transcript: 'Conversation',
  nothing: 'Rien n’a encore été dit.',
  caller: 'Appelant',
  agent: 'Agent',
  colleague: 'Collègue',
  ended: 'L’appel est terminé.',
  phases: {
    dialled: 'Votre téléphone sonne.',
    answered: 'Vous avez décroché. L’appelant ne vous entend pas encore.',
    connected: 'Vous êtes en communication avec l’appelant.',
  },
  refusals: {
    unknown: 'Ce lien n’est pas valable.',
    expired: 'Ce lien a expiré.',
    over: 'Ce transfert est terminé.',
    used: 'Ce lien a déjà été utilisé.',
    busy: 'Trop de requêtes.',
    unreachable: 'Le serveur est injoignable.',
  },
  hints: {
    unknown: 'Ouvrez-le exactement comme vous l’avez reçu.',
    expired: 'Un lien est valable 15 minutes.',
    over: 'L’appelant ne vous est plus transféré, ou l’appel est terminé.',
    used: 'Il ne s’ouvre qu’une fois. Utilisez le navigateur dans lequel il a été ouvert.',
    busy: 'Rechargez la page dans une minute.',
    unreachable: 'Rechargez la page dans un instant.',
  },
};

const es: Texts = {
  title: 'Una llamada para usted',
  once: 'El enlace se puede abrir una vez, en un navegador.',
  open: 'Mostrar la llamada',
  summary: 'Resumen',
  noSummary: 'Todavía no',
  context: 'Sobre quien llama',
  transcript: 'Conversación',
  nothing: 'Aún no se ha dicho nada.',
  caller: 'Quien llama',
  agent: 'Agente',
  colleague: 'Compañero',
  ended: 'La llamada ha terminado.',
  phases: {
    dialled: 'Su teléfono está sonando.',
    answered: 'Ha contestado. Quien llama aún no le oye.',
    connected: 'Está conectado con quien llama.',
  },
  refusals: {
    unknown: 'Este enlace no es válido.',
    expired: 'Este enlace ha caducado.',
    over: 'Esta transferencia ha terminado.',
    used: 'Este enlace ya se ha usado.',
    busy: 'Demasiadas solicitudes.',
    unreachable: 'No se puede conectar con el servidor.',
  },
  hints: {
    unknown: 'Ábralo exactamente como lo recibió.',
    expired: 'Un enlace vale 15 minutos.',
    over: 'Ya no se le transfiere la llamada, o ha terminado.',
    used: 'Se abre una sola vez. Use el navegador en el que se abrió.',
    busy: 'Recargue la página dentro de un minuto.',
    unreachable: 'Recargue la página en un momento.',
  },
};

const it: Texts = {
  title: 'Una chiamata per Lei',
  once: 'Il link si può aprire una volta, in un browser.',
  open: 'Mostra la chiamata',
  summary: 'Riassunto',
  noSummary: 'Non ancora',
  context: 'Su chi chiama',
  transcript: 'Conversazione',
  nothing: 'Non è stato ancora detto nulla.',
  caller: 'Chi chiama',
  agent: 'Agente',
  colleague: 'Collega',
  ended: 'La chiamata è terminata.',
  phases: {
    dialled: 'Il Suo telefono squilla.',
    answered: 'Ha risposto. Chi chiama non La sente ancora.',
    connected: 'È in comunicazione con chi chiama.',
  },
  refusals: {
    unknown: 'Questo link non è valido.',
    expired: 'Questo link è scaduto.',
    over: 'Questo trasferimento è terminato.',
    used: 'Questo link è già stato usato.',
    busy: 'Troppe richieste.',
    unreachable: 'Il server non è raggiungibile.',
  },
  hints: {
    unknown: 'Lo apra esattamente come l’ha ricevuto.',
    expired: 'Un link vale 15 minuti.',
    over: 'La chiamata non Le viene più trasferita, o è terminata.',
    used: 'Si apre una sola volta. Usi il browser in cui è stato aperto.',
    busy: 'Ricarichi la pagina tra un minuto.',
    unreachable: 'Ricarichi la pagina tra un momento.',
  },
};

const pt: Texts = {
  title: 'Uma chamada para si',
  once: 'A ligação pode ser aberta uma vez, num navegador.',
  open: 'Mostrar a chamada',
  summary: 'Resumo',
  noSummary: 'Ainda não',
  context: 'Sobre quem liga',
  transcript: 'Conversa',
  nothing: 'Ainda nada foi dito.',
  caller: 'Quem liga',
  agent: 'Agente',
  colleague: 'Colega',
  ended: 'A chamada terminou.',
  phases: {
    dialled: 'O seu telefone está a tocar.',
    answered: 'Atendeu. Quem liga ainda não o ouve.',
    connected: 'Está em linha com quem liga.',
  },
  refusals: {
    unknown: 'Esta ligação não é válida.',
    expired: 'Esta ligação expirou.',
    over: 'Esta transferência terminou.',
    used: 'Esta ligação já foi usada.',
    busy: 'Demasiados pedidos.',
    unreachable: 'Não é possível contactar o servidor.',
  },
  hints: {
    unknown: 'Abra-a exatamente como a recebeu.',
    expired: 'Uma ligação vale 15 minutos.',
    over: 'A chamada já não lhe é transferida, ou terminou.',
    used: 'Abre-se uma só vez. Use o navegador em que foi aberta.',
    busy: 'Recarregue a página dentro de um minuto.',
    unreachable: 'Recarregue a página daqui a pouco.',
  },
};

const nl: Texts = {
  title: 'Een beller voor u',
  once: 'De link kan één keer worden geopend, in één browser.',
  open: 'Gesprek tonen',
  summary: 'Samenvatting',
  noSummary: 'Nog geen',
  context: 'Over de beller',
  transcript: 'Gesprek',
  nothing: 'Er is nog niets gezegd.',
  caller: 'Beller',
  agent: 'Agent',
  colleague: 'Collega',
  ended: 'Het gesprek is beëindigd.',
  phases: {
    dialled: 'Uw telefoon gaat over.',
    answered: 'U hebt opgenomen. De beller hoort u nog niet.',
    connected: 'U bent met de beller verbonden.',
  },
  refusals: {
    unknown: 'Deze link is niet geldig.',
    expired: 'Deze link is verlopen.',
    over: 'Deze doorverbinding is voorbij.',
    used: 'Deze link is al gebruikt.',
    busy: 'Te veel verzoeken.',
    unreachable: 'De server is niet bereikbaar.',
  },
  hints: {
    unknown: 'Open de link precies zoals u die hebt gekregen.',
    expired: 'Een link is 15 minuten geldig.',
    over: 'De beller wordt niet meer met u verbonden, of het gesprek is beëindigd.',
    used: 'De link kan één keer worden geopend. Gebruik de browser waarin dat is gebeurd.',
    busy: 'Laad de pagina over een minuut opnieuw.',
    unreachable: 'Laad de pagina zo meteen opnieuw.',
  },
};

const hi: Texts = {
  title: 'आपके लिए एक कॉल',
  once: 'यह लिंक एक बार, एक ही ब्राउज़र में खुलता है।',
  open: 'कॉल दिखाएँ',
  summary: 'सारांश',
  noSummary: 'अभी नहीं',
  context: 'कॉल करने वाले के बारे में',
  transcript: 'बातचीत',
  nothing: 'अभी कुछ नहीं कहा गया है।',
  caller: 'कॉल करने वाला',
  agent: 'एजेंट',
  colleague: 'सहकर्मी',
  ended: 'कॉल समाप्त हो गई है।',
  phases: {
    dialled: 'आपका फ़ोन बज रहा है।',
    answered: 'आपने फ़ोन उठा लिया है। कॉल करने वाला आपको अभी नहीं सुनता।',
    connected: 'आप कॉल करने वाले से जुड़े हैं।',
  },
  refusals: {
    unknown: 'यह लिंक मान्य नहीं है।',
    expired: 'इस लिंक का समय समाप्त हो गया है।',
    over: 'यह ट्रांसफ़र समाप्त हो गया है।',
    used: 'यह लिंक पहले ही उपयोग हो चुका है।',
    busy: 'बहुत अधिक अनुरोध।',
    unreachable: 'सर्वर से संपर्क नहीं हो सका।',
  },
  hints: {
    unknown: 'इसे ठीक वैसे ही खोलें जैसे आपको मिला था।',
    expired: 'लिंक 15 मिनट तक मान्य होता है।',
    over: 'कॉल अब आपको नहीं जोड़ी जा रही है, या समाप्त हो गई है।',
    used: 'यह एक ही बार खुलता है। वही ब्राउज़र उपयोग करें जिसमें यह खोला गया था।',
    busy: 'एक मिनट बाद पृष्ठ फिर से लोड करें।',
    unreachable: 'थोड़ी देर में पृष्ठ फिर से लोड करें।',
  },
};

const languages: Record<string, Texts> = { en, de, fr, es, it, pt, nl, hi };

/** textsOf returns the texts of the first language that there is; English without one. */
export function textsOf(...wanted: string[]): { lang: string; texts: Texts } {
  for (const tag of wanted) {
    const lang = tag.toLowerCase().split('-')[0] ?? '';
    const texts = languages[lang];
    if (texts) return { lang, texts };
  }
  return { lang: 'en', texts: en };
}
