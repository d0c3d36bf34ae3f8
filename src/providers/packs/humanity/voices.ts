/** What the supportive replies say in one language. */
export interface Voice {
  /** The reply while nobody seems to be in danger. */
  readonly calm: string;
  /** The reply when somebody may be. */
  readonly urgent: string;
  readonly notice: string;
  readonly available: string;
  readonly professional: string;
  readonly emergency: string;
  readonly person: string;
}

/** By language. None of these texts repeats what a person wrote. */
export const VOICES: Readonly<Record<string, Voice>> = {
  en: {
    calm: 'I hear you, and I am glad you reached out. What you feel makes sense, and you do not have to sort it out all at once. If you like, tell me what weighs on you most right now.',
    urgent:
      'I hear you, and I am glad you reached out. It sounds as if you are carrying something very heavy, and your safety matters more than anything else now. I am not able to help in an emergency, so please contact one of the people or services below, or ask somebody near you to do it with you.',
    notice: 'Non-clinical support: this is not medical advice, therapy or an emergency service.',
    available: 'Support is there whenever you want it: you can talk to somebody you trust at any time',
    professional: 'If things feel harder over time, consider speaking with a mental health professional',
    emergency: 'If you or somebody else is in immediate danger, call your local emergency number now',
    person: 'Tell somebody you trust how you feel, and ask them to stay with you',
  },
  es: {
    calm: 'Te escucho, y me alegra que lo hayas contado. Lo que sientes tiene sentido y no hace falta resolverlo todo de una vez. Si quieres, dime qué es lo que más te pesa ahora mismo.',
    urgent:
      'Te escucho, y me alegra que lo hayas contado. Parece que estás cargando con algo muy pesado, y ahora lo más importante es tu seguridad. No puedo ayudar en una emergencia: por favor, contacta con una de las personas o servicios de abajo, o pide a alguien cercano que lo haga contigo.',
    notice: 'Apoyo no clínico: no es consejo médico, terapia ni un servicio de emergencias.',
    available: 'Hay apoyo cuando lo quieras: puedes hablar con alguien de confianza en cualquier momento',
    professional: 'Si con el tiempo se hace más difícil, plantéate hablar con un profesional de la salud mental',
    emergency: 'Si tú u otra persona corréis peligro inmediato, llama ahora al número de emergencias de tu país',
    person: 'Cuéntale a alguien de confianza cómo te sientes y pídele que se quede contigo',
  },
  fr: {
    calm: "Je vous entends, et je suis content que vous en parliez. Ce que vous ressentez a du sens, et rien n'oblige à tout régler d'un coup. Si vous le souhaitez, dites-moi ce qui pèse le plus en ce moment.",
    urgent:
      "Je vous entends, et je suis content que vous en parliez. Vous semblez porter quelque chose de très lourd, et c'est votre sécurité qui compte d'abord. Je ne peux pas aider en cas d'urgence : contactez l'une des personnes ou l'un des services ci-dessous, ou demandez à un proche de le faire avec vous.",
    notice: "Soutien non clinique : ceci n'est ni un avis médical, ni une thérapie, ni un service d'urgence.",
    available: 'Un soutien existe quand vous le voulez : vous pouvez parler à une personne de confiance à tout moment',
    professional:
      'Si cela devient plus difficile avec le temps, pensez à parler à un professionnel de la santé mentale',
    emergency: "En cas de danger immédiat pour vous ou quelqu'un d'autre, appelez tout de suite les secours",
    person: 'Dites à une personne de confiance ce que vous ressentez et demandez-lui de rester avec vous',
  },
  de: {
    calm: 'Ich höre dir zu, und es ist gut, dass du dich meldest. Was du fühlst, ist verständlich, und es muss nicht alles auf einmal gelöst werden. Wenn du magst, sag mir, was gerade am schwersten wiegt.',
    urgent:
      'Ich höre dir zu, und es ist gut, dass du dich meldest. Du scheinst etwas sehr Schweres zu tragen, und jetzt zählt zuerst deine Sicherheit. Im Notfall kann ich nicht helfen: Bitte wende dich an eine der Stellen unten oder bitte jemanden in deiner Nähe, es mit dir zu tun.',
    notice: 'Keine klinische Hilfe: dies ist kein ärztlicher Rat, keine Therapie und kein Notdienst.',
    available:
      'Unterstützung ist da, wenn du sie möchtest: Du kannst jederzeit mit einem Menschen sprechen, dem du vertraust',
    professional: 'Wenn es mit der Zeit schwerer wird, sprich mit einer Fachperson für psychische Gesundheit',
    emergency: 'Wenn du oder jemand anderes in unmittelbarer Gefahr ist, ruf jetzt den Notruf',
    person: 'Sag einem Menschen, dem du vertraust, wie es dir geht, und bitte ihn, bei dir zu bleiben',
  },
  pt: {
    calm: 'Estou a ouvir, e ainda bem que falou. O que sente faz sentido, e não é preciso resolver tudo de uma vez. Se quiser, diga-me o que pesa mais neste momento.',
    urgent:
      'Estou a ouvir, e ainda bem que falou. Parece carregar algo muito pesado, e agora o mais importante é a sua segurança. Não posso ajudar numa emergência: por favor, contacte uma das pessoas ou serviços abaixo, ou peça a alguém próximo que o faça consigo.',
    notice: 'Apoio não clínico: não é aconselhamento médico, terapia nem um serviço de emergência.',
    available: 'Há apoio quando quiser: pode falar com alguém de confiança a qualquer momento',
    professional: 'Se com o tempo ficar mais difícil, considere falar com um profissional de saúde mental',
    emergency: 'Se você ou outra pessoa estiver em perigo imediato, ligue já para o número de emergência',
    person: 'Diga a alguém de confiança como se sente e peça que fique consigo',
  },
  zh: {
    calm: '我在听，也很高兴你愿意说出来。你的感受是可以理解的，不必一下子解决所有事情。如果愿意，可以告诉我现在最让你难受的是什么。',
    urgent:
      '我在听，也很高兴你愿意说出来。你似乎正承受着很沉重的事，现在最重要的是你的安全。我无法处理紧急情况：请联系下面的人或服务，或者请身边的人陪你一起联系。',
    notice: '非临床支持：这不是医疗建议、心理治疗或紧急服务。',
    available: '只要你愿意，随时都有支持：你可以随时和信任的人谈谈',
    professional: '如果情况越来越难受，可以考虑找心理健康专业人员谈谈',
    emergency: '如果你或他人正处于危险之中，请立即拨打当地紧急电话',
    person: '告诉一位你信任的人你的感受，请对方陪着你',
  },
  ja: {
    calm: 'お話を聞いています。話してくださってよかったです。そのお気持ちはもっともで、すべてを一度に解決する必要はありません。よければ、今いちばんつらいことを教えてください。',
    urgent:
      'お話を聞いています。話してくださってよかったです。とても重いものを抱えているように思います。今はあなたの安全が何より大切です。緊急時の対応は私にはできません。下の窓口や人に連絡するか、近くの人に一緒に連絡してもらってください。',
    notice: '医療ではない支援です。医学的な助言、治療、救急サービスではありません。',
    available: '必要なときはいつでも支えがあります。信頼できる人にいつでも話してください',
    professional: 'つらさが続くときは、こころの専門家に相談することを考えてみてください',
    emergency: 'あなたや誰かに差し迫った危険があるときは、すぐに緊急通報してください',
    person: '信頼できる人に気持ちを伝え、そばにいてもらってください',
  },
  ko: {
    calm: '이야기를 듣고 있어요. 말해 주셔서 다행입니다. 지금 느끼는 마음은 충분히 그럴 수 있고, 한 번에 모두 해결하지 않아도 됩니다. 괜찮다면 지금 가장 힘든 것을 말해 주세요.',
    urgent:
      '이야기를 듣고 있어요. 말해 주셔서 다행입니다. 아주 무거운 것을 짊어지고 계신 것 같고, 지금은 당신의 안전이 가장 중요합니다. 저는 응급 상황을 도울 수 없으니 아래의 사람이나 기관에 연락하거나 가까운 사람에게 함께 연락해 달라고 부탁해 주세요.',
    notice: '임상이 아닌 지원입니다. 의학적 조언, 치료, 응급 서비스가 아닙니다.',
    available: '원할 때 언제든 도움을 받을 수 있습니다. 믿을 수 있는 사람과 언제든 이야기하세요',
    professional: '시간이 지날수록 더 힘들다면 정신건강 전문가와 이야기해 보세요',
    emergency: '당신이나 다른 사람이 당장 위험하다면 지금 바로 긴급 전화로 연락하세요',
    person: '믿을 수 있는 사람에게 마음을 이야기하고 곁에 있어 달라고 하세요',
  },
  ar: {
    calm: 'أنا أسمعك، ويسعدني أنك تكلمت. ما تشعر به مفهوم، ولا يلزم أن يُحل كل شيء دفعة واحدة. إن أردت، أخبرني بما يثقل عليك أكثر الآن.',
    urgent:
      'أنا أسمعك، ويسعدني أنك تكلمت. يبدو أنك تحمل شيئًا ثقيلًا جدًا، وسلامتك الآن أهم من أي شيء. لا أستطيع المساعدة في حالات الطوارئ: يُرجى الاتصال بأحد الأشخاص أو الخدمات أدناه، أو اطلب من شخص قريب أن يتصل معك.',
    notice: 'دعم غير سريري: هذه ليست نصيحة طبية ولا علاجًا ولا خدمة طوارئ.',
    available: 'الدعم موجود متى أردت: يمكنك التحدث إلى شخص تثق به في أي وقت',
    professional: 'إذا ازداد الأمر صعوبة مع الوقت، ففكر في التحدث إلى مختص في الصحة النفسية',
    emergency: 'إذا كنت أنت أو غيرك في خطر مباشر، فاتصل برقم الطوارئ المحلي الآن',
    person: 'أخبر شخصًا تثق به بما تشعر به، واطلب منه أن يبقى معك',
  },
};
